import { spawnSync } from 'node:child_process';
import { accessSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CURVE_TABLE } from '../../src/leaderboard/curves.ts';
import { scriptSource } from '../../src/redis/scripts.ts';
import { findOnPath } from '../dev/embedded-redis.ts';
import { makeScratch } from './scratch.ts';
import type { Stage } from './stage.ts';

/** nginx, made ready in a folder of its own. */
export interface PreparedNginx {
  readonly command: readonly string[];
  remove(): void;
}

/** Folder of nginx's modules, if there is an nginx that can load the one for Lua. */
export function nginxModules(): string | undefined {
  const nginx = findOnPath(['nginx']);
  // It lists what it was built with on the standard error.
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
 * Puts together what nginx needs to serve the API from the stage's Redis.
 * @throws when there is no nginx with Lua, or Redis does not take the script.
 */
export async function prepareNginx({ redis, store }: Stage, port: number): Promise<PreparedNginx> {
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
  put('curves.txt', CURVE_TABLE);
  put('batch.sha', String(await store.client.call('SCRIPT', 'LOAD', scriptSource('batch'))));
  return {
    command: [findOnPath(['nginx']) as string, '-c', join(folder, 'nginx.conf'), '-p', folder],
    remove,
  };
}
