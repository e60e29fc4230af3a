/** Keeps the pause that the service asked for in a row of the mirror, so that all workers with the same key keep to it. */
import { sql } from 'kysely'
import type { Clock } from '../../api/options.ts'
import type { SharedPause } from '../../workflows/limiter.ts'
import type { Mirror } from '../mirror/mirror.ts'

/** A process asks this often at most: another's pause reaches it that much later. */
const ASK_MS = 500
const NAME = 'reads'

/** The pause of a mirror on Postgres, by whose clock it is kept. */
export function sharedPause({ db }: Pick<Mirror, 'db'>, clock: Clock): SharedPause {
  let asked = Number.NEGATIVE_INFINITY
  let until: Promise<number> = Promise.resolve(0)
  const ask = async () => {
    const row = await db
      .selectFrom('pauses')
      .select(sql<number>`1000 * date_part('epoch', paused_until - clock_timestamp())`.as('left'))
      .where('name', '=', NAME)
      .executeTakeFirst()
    return row === undefined || row.left <= 0 ? 0 : clock.now() + row.left
  }
  return {
    until() {
      if (clock.now() - asked >= ASK_MS) {
        asked = clock.now()
        until = ask()
      }
      return until
    },
    async extend(end) {
      const ms = end - clock.now()
      if (ms <= 0) return
      const paused_until = sql<string>`clock_timestamp() + ${ms} * interval '1 millisecond'`
      await db
        .insertInto('pauses')
        .values({ name: NAME, paused_until })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ paused_until: sql`greatest(pauses.paused_until, excluded.paused_until)` }),
        )
        .execute()
      asked = Number.NEGATIVE_INFINITY
    },
  }
}
