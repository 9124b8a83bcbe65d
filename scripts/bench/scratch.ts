import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder that is removed when this process ends, or earlier. */
export interface Scratch {
  readonly folder: string;
  remove(): void;
}

/** Creates a temporary folder. */
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
