// What tsc leaves behind: the Lua commands, beside the compiled module that reads them.
import { cpSync } from 'node:fs';

cpSync('src/redis/lua', 'dist/src/redis/lua', { recursive: true });
cpSync('src/http/assets', 'dist/src/http/assets', { recursive: true });
