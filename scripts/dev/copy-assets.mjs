// Copies the files that dist/guildrank.cjs reads: the web pages, the API document, and the Lua commands, each with what it includes. Bots
// in any language take those too (guildrank/lua/*.lua in the package).
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { scriptNames, scriptSource } from '../../src/core/store/scripts.ts';

if (existsSync('src/dashboard')) {
  cpSync('src/dashboard', 'dist/dashboard', { recursive: true, filter: (file) => !file.endsWith('.ts') });
}
cpSync('src/http/public/templates', 'dist/http/public/templates', { recursive: true });
cpSync('docs/openapi.json', 'dist/openapi.json');
cpSync('src/web', 'dist/web', { recursive: true, filter: (file) => !/(widget|drawing)$|\.ts$/.test(file) });

mkdirSync('dist/lua', { recursive: true });
for (const name of scriptNames()) writeFileSync(`dist/lua/${name}.lua`, scriptSource(name));
