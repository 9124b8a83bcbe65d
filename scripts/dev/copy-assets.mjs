// What tsc leaves behind: the Lua commands, beside the compiled module that reads them; and each of them complete, without
// includes, for bots in any language (the package's guildrank/lua/*.lua).
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';

cpSync('src/redis/lua', 'dist/redis/lua', { recursive: true });
cpSync('src/web', 'dist/web', { recursive: true });

const { SCRIPT_KEYS, scriptSource } = await import(new URL('../../dist/redis/scripts.js', import.meta.url).href);
mkdirSync('dist/lua', { recursive: true });
for (const name of Object.keys(SCRIPT_KEYS)) writeFileSync(`dist/lua/${name}.lua`, scriptSource(name));
