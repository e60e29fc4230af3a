/** Sums transactions exactly, each currency apart. */
import * as z from 'zod'
import type { Transaction } from '../contract/transactions.ts'
import { DecimalSum } from '../workflows/decimal.ts'

/** Numbers by name, which say what they are. A record takes a third of the schema of an object. */
export const Figures = z.record(z.string(), z.number())

export const Totals = z
  .record(z.string(), Figures)
  .describe('By currency; pending ones stand beside the sums')

class Sums {
  transactions = 0
  pending = 0
  readonly moneyIn = new DecimalSum()
  readonly moneyOut = new DecimalSum()
  readonly net = new DecimalSum()
}

export class CurrencyTotals {
  readonly #byCurrency = new Map<string, Sums>()
  readonly #sumsPending: boolean

  /** The amount of a pending one can still change: it is in the sums only where they are of pending ones alone. */
  constructor({ sumsPending = false }: { readonly sumsPending?: boolean } = {}) {
    this.#sumsPending = sumsPending
  }

  add({ iso_currency_code: currency, amount, pending }: Transaction): void {
    const sums = this.#byCurrency.get(currency) ?? new Sums()
    this.#byCurrency.set(currency, sums)
    if (pending) sums.pending += 1
    if (pending && !this.#sumsPending) return
    sums.transactions += 1
    sums.net.add(amount)
    if (amount >= 0) sums.moneyIn.add(amount)
    else sums.moneyOut.add(amount)
  }

  get figures(): z.input<typeof Totals> {
    return Object.fromEntries(
      [...this.#byCurrency].map(([currency, { transactions, pending, moneyIn, moneyOut, net }]) => [
        currency,
        {
          ...{ transactions, pending },
          ...{ money_in: moneyIn.value, money_out: moneyOut.value, net: net.value },
        },
      ]),
    )
  }
}
