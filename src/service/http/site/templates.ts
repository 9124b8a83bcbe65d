import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';

/**
 * Returns the templates of a folder, which escape all data. The files are read now: a build or an update replaces them while the process
 * runs, and its templates belong to its code.
 * @throws when there is no such folder.
 */
export function readTemplates(folder: URL, options: { readonly autoTrim?: false } = {}): Eta {
  const views = fileURLToPath(folder);
  const texts = new Map(readdirSync(views).map((name) => [join(views, name), readFileSync(join(views, name), 'utf8')]));
  const eta = new Eta({ views, cache: true, autoEscape: true, ...options });
  eta.readFile = (path) => {
    const text = texts.get(path);
    if (text === undefined) throw new Error(`There is no template ${path}`);
    return text;
  };
  return eta;
}
