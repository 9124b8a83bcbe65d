import { findProgram } from '../support/needs.ts';

/** Path of nginx, if it is installed. */
export const nginx = findProgram('nginx');

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
