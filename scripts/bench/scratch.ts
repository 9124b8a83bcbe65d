import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of one's own for files that end with this process, or sooner. */
export interface Scratch {
  readonly folder: string;
  remove(): void;
}

export function makeScratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-bench-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const remove = (): void => {
    process.off('exit', removeFolder);
    removeFolder();
  };
  return { folder, remove };
}
