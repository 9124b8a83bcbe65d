import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptSource } from '../../src/core/store/scripts.ts';
import { findOnPath } from '../dev/embedded-redis.ts';
import { makeFolder, type Testbed } from './testbed.ts';

/** Returns the folder of nginx's modules; undefined without nginx or without its module for Lua. */
export function nginxModules(): string | undefined {
  const nginx = findOnPath(['nginx']);
  // nginx prints its build options to standard error.
  const built = nginx ? spawnSync(nginx, ['-V'], { encoding: 'utf8' }).stderr : '';
  const folder = /--modules-path=(\S+)/.exec(built)?.[1];
  return folder && existsSync(join(folder, 'ngx_http_lua_module.so')) ? folder : undefined;
}

/**
 * Writes the files with which nginx serves the API from the testbed's Redis, and loads batch.lua into it.
 * @returns the command line that starts nginx.
 */
export async function prepareNginx({ redis, store }: Testbed, port: number): Promise<readonly string[]> {
  const folder = makeFolder();
  const names = {
    FOLDER: folder,
    MODULES: nginxModules(),
    REDIS_HOST: '127.0.0.1',
    REDIS_PORT: redis.port,
    PORT: port,
  };
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const source = (name: string) => readFileSync(new URL(`./nginx/${name}`, import.meta.url), 'utf8');
  const fill = (name: string) => String(names[name as keyof typeof names]);
  put('nginx.conf', source('nginx.conf').replace(/\b(FOLDER|MODULES|REDIS_HOST|REDIS_PORT|PORT)\b/g, fill));
  put('guildrank.lua', source('guildrank.lua'));
  put('lib-level.lua', scriptSource('lib-level'));
  put('batch.sha', String(await store.client.call('SCRIPT', 'LOAD', scriptSource('batch'))));
  return ['nginx', '-c', join(folder, 'nginx.conf'), '-p', folder];
}
