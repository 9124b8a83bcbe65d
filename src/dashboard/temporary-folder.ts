import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Begin of the names of the folders; the id of their process follows. */
const PREFIX = 'guildrank-import-';

/** The folders of this process. */
const made = new Set<string>();

/** Creates a folder for uploads that only this user can read, and that goes with the process. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  made.add(folder);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Deletes the folders of processes that were killed, such as for want of memory. */
export function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const folder = join(tmpdir(), name);
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (!pid || made.has(folder) || isOther(pid)) continue;
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another user's.
    }
  }
}

/** Returns whether another process has this id. In a container, the one before had the same id as this one. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
