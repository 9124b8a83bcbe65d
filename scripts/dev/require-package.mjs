// Runs before npm packs the package of the present folder, which must hold all files that its package.json names.
import { existsSync, readFileSync } from 'node:fs';

const manifest = readFileSync('package.json', 'utf8');
const { name } = JSON.parse(manifest);
const missing = [...new Set(manifest.match(/(?<=")\.\/dist\/[\w.-]+(?=")/g))].find((path) => !existsSync(path));
if (missing) {
  process.stderr.write(`error: ${name} lacks ${missing}: run "npm run build" in the root of the repository first\n`);
  process.exit(1);
}
