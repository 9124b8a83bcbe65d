// Copies the files that dist/guildrank.cjs reads: the Lua commands, the web pages and the API document. Writes
// each Lua command also without includes, for bots in any language (guildrank/lua/*.lua in the package).
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { SCRIPT_NAMES, scriptSource } from '../../src/redis/scripts.ts';

cpSync('src/redis/lua', 'dist/redis/lua', { recursive: true });
if (existsSync('src/dashboard')) {
  cpSync('src/dashboard', 'dist/dashboard', { recursive: true, filter: (file) => !file.endsWith('.ts') });
}
cpSync('docs/openapi.json', 'dist/openapi.json');
cpSync('src/web', 'dist/web', { recursive: true, filter: (file) => !/widget$/.test(file) });

mkdirSync('dist/lua', { recursive: true });
for (const name of SCRIPT_NAMES) writeFileSync(`dist/lua/${name}.lua`, scriptSource(name));
