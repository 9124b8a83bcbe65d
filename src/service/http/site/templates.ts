import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';

/**
 * Reads all templates of a folder and of the folders below it. They escape all data, and name each other by `@` and the name of the file
 * without its ending. The files are read now: a build or an update replaces them while the process runs, and its templates belong to its code.
 * @throws when there is no such folder.
 */
export function readTemplates(folder: URL, options: { readonly autoTrim?: false } = {}): Eta {
  const root = fileURLToPath(folder);
  const eta = new Eta({ autoEscape: true, ...options });
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.eta')) {
      eta.loadTemplate(`@${basename(path, '.eta')}`, readFileSync(join(root, path), 'utf8'));
    }
  }
  return eta;
}
