/** Runs one sync in a process that tests kill. The run is JSON in SYNC_RUN; the summary goes to stdout. */
import { syncOnce } from './sync-run.ts'

const summary = await syncOnce(JSON.parse(process.env['SYNC_RUN'] ?? ''))
process.stdout.write(JSON.stringify(summary))
