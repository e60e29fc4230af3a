import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { GrowingBuffer } from './growing-buffer.ts'

describe('a growing buffer', () => {
  test('a million one-byte chunks cost as much memory as their bytes, in few allocations', () => {
    const count = 1_000_000
    const source = Buffer.alloc(count, 'body')
    const used = () => {
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return heapUsed + arrayBuffers
    }
    const allocations = vi.spyOn(Buffer, 'alloc')
    const before = used()
    const body = new GrowingBuffer(count)
    for (let at = 0; at < count; at += 1) body.append(source.subarray(at, at + 1))
    // A million chunks that were kept would be more than 90 MB.
    expect(used() - before).toBeLessThan(48 * 1024 * 1024)
    const sizes = allocations.mock.calls.map(([size]) => size)
    allocations.mockRestore()
    expect(sizes.length).toBeLessThan(20)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3 * count)
    expect(body.bytes().equals(source)).toBe(true)
  })

  test('holds what was added, in order, whatever the chunks are', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 }), (chunks) => {
        const all = Buffer.concat(chunks)
        const body = new GrowingBuffer(all.length)
        for (const chunk of chunks) expect(body.append(chunk)).toBe(true)
        expect(body.byteLength).toBe(all.length)
        expect(body.bytes().equals(all)).toBe(true)
      }),
    )
  })

  test('refuses a chunk that goes beyond its maximum and keeps what it has', () => {
    const body = new GrowingBuffer(5)
    expect(body.append(Buffer.from('abcd'))).toBe(true)
    expect(body.append(Buffer.from('ef'))).toBe(false)
    expect(body.append(Buffer.from('e'))).toBe(true)
    expect(body.append(Buffer.from('f'))).toBe(false)
    expect(body.append(Buffer.alloc(0))).toBe(true)
    expect(body.bytes().toString()).toBe('abcde')
  })

  test('keeps copies, so that a chunk may be used again by whoever read it', () => {
    const body = new GrowingBuffer(10)
    const chunk = Buffer.from('abc')
    body.append(chunk)
    chunk.fill('x')
    expect(body.bytes().toString()).toBe('abc')
  })
})
