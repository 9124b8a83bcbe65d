import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemErrorOf } from '../core/errors.ts';

/** Beginning of the names of the folders, before the id of their process. Containers that share the folder differ in their host name. */
const PREFIX = `guildrank-import-${hostname()}-`;

/** The folders of this process. */
const made = new Set<string>();

/** Creates a folder for uploads that only this user can read, and that is deleted when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  if (made.size === 0) process.once('exit', removeMade);
  made.add(folder);
  return folder;
}

function removeMade(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
}

/** Deletes the folders of processes that were killed, such as for want of memory. */
export function removeLeftFolders(): void {
  try {
    for (const name of readdirSync(tmpdir())) {
      const folder = join(tmpdir(), name);
      const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : 0;
      if (pid > 0 && !made.has(folder) && !isOther(pid)) rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    // The folder cannot be read, or a folder of another user cannot be deleted. The next upload reports what is wrong.
  }
}

/** Returns whether another process has this id. In a container, an earlier process can have had the same id as this process. */
function isOther(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorOf(error).code === 'EPERM';
  }
}
