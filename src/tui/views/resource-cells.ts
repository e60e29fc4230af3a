/** The columns of Clients, Connections, accounts and transactions. */
import type { Line, Tone } from '../state/pieces.ts'
import type { ResourceKind, ResourceRow } from '../state/resource-row.ts'
import type { Column } from './columns.ts'

type Looks = Partial<Omit<Column<ResourceRow>, 'head' | 'cell' | 'rank' | 'grows'>> & {
  readonly tone?: (row: ResourceRow) => Tone
}

/** A column of the cell with this name. `rank`: the highest is left out first; columns grow in the same order. */
function column(
  name: string,
  head: string,
  rank: number,
  { tone, ...looks }: Looks = {},
): Column<ResourceRow> {
  return {
    ...{ head, rank, grows: rank, min: 10, ...looks },
    cell: ({ cells, ...row }): Line => [
      { text: cells[name] ?? '', tone: tone?.({ cells, ...row }) ?? 'plain' },
    ],
  }
}

const dim = (): Tone => 'dim'
/** An amount is never cut: the column is as wide as its longest. */
const MONEY = 40
/** Ids of two sources may end alike: the source stays in sight. */
const id = { cut: 'middle', min: 19 } as const

const marks: Readonly<Record<string, { mark: string; tone: Tone }>> = {
  active: { mark: '✓', tone: 'good' },
  initiated: { mark: '…', tone: 'warn' },
  requires_action: { mark: '!', tone: 'warn' },
  failed: { mark: '✗', tone: 'bad' },
  disconnected: { mark: '✗', tone: 'bad' },
}

export const resourceColumns: Readonly<Record<ResourceKind, readonly Column<ResourceRow>[]>> = {
  clients: [
    column('name', 'NAME', 1, { min: 16 }),
    column('id', 'ID', 2, id),
    column('external', 'EXTERNAL ID', 3),
    column('email', 'E-MAIL', 4, { min: 16, tone: dim }),
    column('since', 'SINCE', 5, { tone: dim }),
  ],
  connections: [
    {
      ...{ head: 'STATUS', rank: 1, grows: 0, min: 17 },
      cell: ({ status = '' }) => {
        const { mark, tone } = marks[status] ?? { mark: '?', tone: 'plain' as const }
        return [{ text: `${mark} ${status}`, tone }]
      },
    },
    column('name', 'BANK', 2, { min: 14 }),
    column('id', 'ID', 3, id),
    column('error', 'LAST ERROR', 4, { tone: () => 'bad' }),
    column('client', 'CLIENT', 5, id),
    column('refreshed', 'REFRESHED', 6, { tone: dim }),
  ],
  accounts: [
    column('name', 'NAME', 1, { min: 14 }),
    column('balance', 'BALANCE', 2, { align: 'right', min: MONEY }),
    column('type', 'TYPE', 5, { tone: dim, min: 8 }),
    column('mask', 'NUMBER', 4, { tone: dim, min: 9 }),
    column('id', 'ID', 3, id),
    column('client', 'CLIENT', 6, { ...id, tone: dim, ifRoom: true }),
  ],
  transactions: [
    column('date', 'DATE', 1, { tone: dim, min: 10 }),
    column('name', 'DESCRIPTION', 3, { min: 16, takesRest: true }),
    column('amount', 'AMOUNT', 2, {
      align: 'right',
      min: 12,
      tone: ({ income }) => (income ? 'good' : 'plain'),
    }),
    column('balance', 'BALANCE', 4, { align: 'right', min: MONEY, tone: dim }),
    column('category', 'CATEGORY', 5, { tone: dim }),
  ],
}

/** What an empty list of this kind says. */
export const emptyResources: Readonly<Record<ResourceKind, string>> = {
  clients: 'No Clients yet: bankapi clients create makes one',
  connections: 'No Connections: bankapi connections initiate links a bank',
  accounts:
    'No accounts: they appear when a bank is linked and refreshed; Esc goes back, R refreshes a connection',
  transactions: 'No transactions: Esc goes back, R refreshes the connection',
}
