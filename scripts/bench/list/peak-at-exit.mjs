// Writes the peak memory of its process, in kB, to file descriptor 3 at exit. Loaded before the measured program.
import { writeSync } from 'node:fs'

process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))
