import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repository } from '../support/run-command.ts';

/** A service of docker-compose.yml, as far as the tests run it. */
export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
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

/** Replaces `${NAME:-default}`, whose default can have others, and `$$`. */
function interpolated(text: string, env: Readonly<Record<string, string>>): string {
  const once = text.replace(/\$\{(\w+):-([^${}]*)\}/g, (_, name: string, fallback: string) => env[name] || fallback);
  return once === text ? text.replaceAll('$$', '$') : interpolated(once, env);
}
