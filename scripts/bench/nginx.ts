import { spawnSync } from 'node:child_process';
import { accessSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptSource } from '../../src/redis/scripts.ts';
import { findOnPath } from '../dev/embedded-redis.ts';
import { makeScratch } from './scratch.ts';
import type { Testbed } from './testbed.ts';

/** nginx with its files in a folder of its own. */
export interface PreparedNginx {
  readonly command: readonly string[];
  remove(): void;
}

/** Returns the folder of nginx's modules; undefined without nginx or without its module for Lua. */
export function nginxModules(): string | undefined {
  const nginx = findOnPath(['nginx']);
  // nginx prints its build options to standard error.
  const built = nginx ? spawnSync(nginx, ['-V'], { encoding: 'utf8' }).stderr : '';
  const folder = /--modules-path=(\S+)/.exec(built)?.[1];
  if (!folder) return undefined;
  try {
    accessSync(join(folder, 'ngx_http_lua_module.so'));
    return folder;
  } catch {
    return undefined;
  }
}

/**
 * Writes the files with which nginx serves the API from the testbed's Redis, and loads batch.lua into it.
 * @throws if there is no nginx with Lua, or Redis does not take the script.
 */
export async function prepareNginx({ redis, store }: Testbed, port: number): Promise<PreparedNginx> {
  const modules = nginxModules();
  if (!modules) throw new Error('There is no nginx with its module for Lua');
  const { folder, remove } = makeScratch();
  const names = { FOLDER: folder, MODULES: modules, REDIS_HOST: '127.0.0.1', REDIS_PORT: redis.port, PORT: port };
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const template = readFileSync(new URL('./contenders/nginx/nginx.conf', import.meta.url), 'utf8');
  put(
    'nginx.conf',
    template.replace(/\b(FOLDER|MODULES|REDIS_HOST|REDIS_PORT|PORT)\b/g, (name) =>
      String(names[name as keyof typeof names]),
    ),
  );
  put('guildrank.lua', readFileSync(new URL('./contenders/nginx/guildrank.lua', import.meta.url), 'utf8'));
  put('lib-level.lua', scriptSource('lib-level'));
  put('batch.sha', String(await store.client.call('SCRIPT', 'LOAD', scriptSource('batch'))));
  return {
    command: [findOnPath(['nginx']) as string, '-c', join(folder, 'nginx.conf'), '-p', folder],
    remove,
  };
}
