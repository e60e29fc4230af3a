// Loaded before the measured program: writes the peak memory of its process, in kB, to file descriptor 3.
import { writeSync } from 'node:fs'

process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))
