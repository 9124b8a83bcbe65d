// Copies the files that tsc does not: the Lua commands, the web pages and the API document, beside the compiled modules that read them. Writes
// each Lua command also without includes, for bots in any language (guildrank/lua/*.lua in the package).
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';

cpSync('src/redis/lua', 'dist/redis/lua', { recursive: true });
if (existsSync('src/dashboard')) {
  cpSync('src/dashboard', 'dist/dashboard', { recursive: true, filter: (file) => !file.endsWith('.ts') });
}
cpSync('docs/openapi.json', 'dist/openapi.json');
cpSync('src/web', 'dist/web', { recursive: true, filter: (file) => !/widget$/.test(file) });

const { SCRIPT_NAMES, scriptSource } = await import(new URL('../../dist/redis/scripts.js', import.meta.url).href);
mkdirSync('dist/lua', { recursive: true });
for (const name of SCRIPT_NAMES) writeFileSync(`dist/lua/${name}.lua`, scriptSource(name));
