// Writes the peak memory of its process, in kB, and its processor time, in ms, to file descriptor 3 at exit. Loaded before the
// measured program.
import { writeSync } from 'node:fs'

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  writeSync(3, `${maxRSS} ${(userCPUTime + systemCPUTime) / 1000}`)
})
