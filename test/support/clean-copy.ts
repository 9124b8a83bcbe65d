import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { repository } from './run-command.ts';

const LEFT_OUT = /^(node_modules|dist|coverage|reports|\.git|\.env|\.stryker-tmp|.*\.(tgz|log))$/;

/** Copies the repository as a fresh clone has it, to a temporary folder that the caller deletes. */
export function cleanCopy({ installed }: { readonly installed: boolean }): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-copy-'));
  cpSync(repository, folder, { recursive: true, filter: (file) => !LEFT_OUT.test(basename(file)) });
  if (installed) symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
