import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './run-command.ts';

/** Copies the build to a folder of its own, where no package is installed. */
export function copyBuild(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-build-'));
  cpSync(join(repository, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(repository, 'package.json'), join(folder, 'package.json'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
