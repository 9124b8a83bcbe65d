// Copies the files that tsc does not: the Lua commands and the web pages, beside the compiled modules that read them. Writes
// each Lua command also without includes, for bots in any language (guildrank/lua/*.lua in the package).
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

cpSync('src/redis/lua', 'dist/redis/lua', { recursive: true });
cpSync('src/web', 'dist/web', { recursive: true });

const { scriptSource } = await import(new URL('../../dist/redis/scripts.js', import.meta.url).href);
mkdirSync('dist/lua', { recursive: true });
const commands = readdirSync('src/redis/lua').filter((file) => !/^(lib|command)-/.test(file));
for (const file of commands) writeFileSync(join('dist/lua', file), scriptSource(file.replace('.lua', '')));
