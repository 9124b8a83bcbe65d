import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';

/** Renders a template by its name. All data is escaped, but what a template itself says is markup. */
export type RenderTemplate = (name: string, data: object) => string;

/**
 * Reads the templates of folders and of the folders below them, and returns the function that renders a template. Templates name each other by `@`
 * and the name of the file without its ending. The files are read now: a build or an update replaces them while the process runs, and its templates
 * belong to its code.
 * @throws when a folder is missing.
 */
export function readTemplates(...folders: readonly URL[]): RenderTemplate {
  const eta = new Eta({ autoEscape: true });
  for (const root of folders.map((folder) => fileURLToPath(folder))) {
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (path.endsWith('.eta')) {
        eta.loadTemplate(`@${basename(path, '.eta')}`, readFileSync(join(root, path), 'utf8'));
      }
    }
  }
  return (name, data) => eta.render(`@${name}`, data);
}
