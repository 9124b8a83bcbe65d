// Copies the files that dist/guildrank.cjs reads: the web pages, the fonts, the API document, and the Lua scripts, each with the files that it
// includes. Bots in any language take the Lua scripts too (guildrank-kit/lua/*.lua in the package).
import { cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { scriptNames, scriptSource } from '../../src/core/store/scripts.ts';

/** Pages, templates, style sheets, scripts for browsers and fonts, with their licences; no code of Node. Of the widget it takes the script alone, not the package. */
const isPage = (file) =>
  statSync(file).isDirectory() || (/\.(?:css|eta|html|js|svg|ttf|txt)$/.test(file) && !file.endsWith('dist/index.js'));

for (const folder of ['service', 'dashboard', 'widget']) {
  // The dashboard can be deleted from a copy of the project.
  if (existsSync(`src/${folder}`)) cpSync(`src/${folder}`, `dist/${folder}`, { recursive: true, filter: isPage });
}
for (const name of ['openapi.json', 'public-openapi.json']) cpSync(`docs/${name}`, `dist/${name}`);

mkdirSync('dist/lua', { recursive: true });
for (const name of scriptNames()) writeFileSync(`dist/lua/${name}.lua`, scriptSource(name));
