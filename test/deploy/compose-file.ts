import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repository } from '../support/run-command.ts';

/** A file of this machine that a service reads. */
export interface ComposeMount {
  readonly type: 'bind';
  /** From the folder of the file, if it is no absolute path. */
  readonly source: string;
  readonly target: string;
  readonly read_only?: boolean;
}

/** A service of docker-compose.yml, as far as the tests run it. */
export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly (string | ComposeMount)[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly extra_hosts?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly [string, string]; readonly disable?: boolean };
  readonly deploy?: { readonly replicas: number };
}

/** Reads docker-compose.yml with the variables of an .env file, as `docker compose config` does. */
export function readComposeFile(env: Readonly<Record<string, string>> = {}): Record<string, ComposeService> {
  const file = parse(readFileSync(join(repository, 'docker-compose.yml'), 'utf8'), { merge: true });
  return JSON.parse(JSON.stringify(file.services), (_, value) =>
    typeof value === 'string' ? interpolated(value, env) : value,
  );
}

/** Replaces `${NAME:-default}`, whose default can have others, `${NAME:+text of a variable that is set}`, and `$$`. */
function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  const once = text.replace(/\$\{(\w+):([-+])([^${}]*)\}/g, (_, name: string, kind: string, other: string) => {
    const value = env[name];
    if (kind === '-') return value || other;
    return value ? other : '';
  });
  return once === text ? text.replaceAll('$$', '$') : interpolated(once, env);
}
