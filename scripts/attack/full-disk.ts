/** A small disk that can be filled: a tmpfs, which only root may mount. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface SmallDisk {
  fill(): void
  free(): void
  unmount(): void
}

/** Mounts it at the folder; undefined where that is not allowed. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk | undefined {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'none', folder])
  if (status !== 0) return undefined
  const file = join(folder, 'filler')
  return {
    fill() {
      const piece = Buffer.alloc(64 * 1024)
      try {
        for (;;) appendFileSync(file, piece)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    free: () => rmSync(file, { force: true }),
    unmount: () => void spawnSync('umount', ['-l', folder]),
  }
}
