import { describe, expect, it } from 'vitest'
import { layOut, listRow, verbatim } from './layout.ts'

const words = (text: string) => text.split(/[\s\\]+/).filter((word) => word !== '')

describe('a page of help', () => {
  it('has its paragraphs wrapped to the terminal, each line indented as the first, and no word broken', () => {
    const text = 'Each refresh uses one of the daily refresh budget and is never sent twice.'
    expect(layOut(`DESCRIPTION\n  ${text}\n`, 40)).toBe(
      [
        'DESCRIPTION',
        '  Each refresh uses one of the daily',
        '  refresh budget and is never sent',
        '  twice.',
        '',
      ].join('\n'),
    )
  })

  it('has lines of at most 120 columns, however wide the terminal is', () => {
    const page = layOut('word '.repeat(200).trim(), 400)
    expect(Math.max(...page.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
    expect(page.split('\n')[0]?.length).toBeGreaterThan(110)
  })

  it('has the meanings of a list below each other', () => {
    const page = [listRow('--wait', 'Wait until it is done, however long that takes'), listRow('-q', 'Quiet')]
    expect(layOut(page.join('\n'), 42)).toBe(
      ['  --wait  Wait until it is done, however', '          long that takes', '  -q      Quiet'].join('\n'),
    )
  })

  it('gives a long term a line of its own, and in a narrow terminal every term', () => {
    const page = [listRow('--env=local|sandbox|live|NAME', 'Where'), listRow('--wait', 'Wait')].join('\n')
    expect(layOut(page, 60)).toBe('  --env=local|sandbox|live|NAME\n          Where\n  --wait  Wait')
    expect(layOut(page, 30)).toBe('  --env=local|sandbox|live|NAME\n      Where\n  --wait\n      Wait')
  })

  it('continues a long command after a backslash, and breaks neither quotes nor a flag from its value', () => {
    const command = `$ bankapi connections refresh --all-clients --left left.txt --where '.a == "b" and .c'`
    expect(layOut(`  ${command}`, 60)).toBe(
      [
        '  $ bankapi connections refresh --all-clients \\',
        `      --left left.txt --where '.a == "b" and .c'`,
      ].join('\n'),
    )
    expect(layOut(`  ${command}`, 32).split('\n').slice(-2)).toEqual([
      '      --left left.txt --where \\',
      `      '.a == "b" and .c'`,
    ])
    expect(layOut(`  ${command}`, 100)).toBe(`  ${command}`)
    expect(layOut(verbatim(command.slice(2)), 60)).toContain('--all-clients \\\n')
    expect(layOut(verbatim('  10) echo "still running" ;;'), 60)).toBe('    10) echo "still running" ;;')
  })

  it('breaks a usage between its parts', () => {
    const usage =
      '  $ bankapi accounts list [--env local|sandbox|live|NAME] [-o json|csv | --json] [[--a <x>] | --b]'
    expect(layOut(usage, 50)).toBe(
      [
        '  $ bankapi accounts list',
        '      [--env local|sandbox|live|NAME]',
        '      [-o json|csv | --json] [[--a <x>] | --b]',
      ].join('\n'),
    )
    // A part that is too wide is broken between its alternatives, and nowhere else.
    expect(words(layOut(usage, 20)).join(' ')).toBe(
      words(usage).join(' ').replace('local|sandbox|live|NAME', 'local| sandbox| live| NAME'),
    )
  })
})
