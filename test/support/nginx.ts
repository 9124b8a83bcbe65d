import { existsSync } from 'node:fs';
import { findOnPath } from '../../scripts/dev/embedded-redis.ts';

/** Debian installs nginx where only root looks for it. */
const SBIN = '/usr/sbin/nginx';

/** Path of nginx, if it is installed. With REQUIRE_NGINX=1 its absence is an error instead. */
export const nginx: string | undefined = findOnPath(['nginx']) ?? (existsSync(SBIN) ? SBIN : undefined);

if (!nginx) {
  if (process.env.REQUIRE_NGINX === '1') throw new Error('REQUIRE_NGINX=1, but nginx is not on PATH: install it');
  process.stderr.write('skipped: the tests of the configurations in deploy/ for nginx need it on PATH\n');
}

/** Returns a whole configuration around what stands in its http block. All files are in the folder. */
export function nginxConfiguration(http: string, folder: string): string {
  return [
    'daemon off; master_process off;',
    `pid ${folder}/pid; error_log stderr;`,
    'events {}',
    'http { access_log off;',
    ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`),
    http,
    '}',
  ].join('\n');
}
