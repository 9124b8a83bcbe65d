import { readFileSync } from 'node:fs';
import { MAX_ADMIN_CONNECTIONS } from './http/server/listener.ts';

/** Files that a process has open beside connections to its ports: its own, the log, Redis with some nodes, the first looks at an address. */
const OWN_FILES = 100;

/**
 * Returns a warning when a process may open fewer files than its connections need: then it cannot take them, nor those of the admin port.
 * Node has raised the limit to the hard one at its start.
 * @param limit of open files; undefined = unknown.
 */
export function warningOfOpenFiles(maxConnections: number, limit: number | undefined): string | undefined {
  const others = MAX_ADMIN_CONNECTIONS + OWN_FILES;
  const needed = maxConnections + others;
  if (limit === undefined || limit >= needed) return undefined;
  const lower = limit > others ? `, or set MAX_CONNECTIONS to ${limit - others}` : '';
  return (
    `a process may open ${limit} files, and MAX_CONNECTIONS=${maxConnections} needs ${needed}: raise the hard limit ` +
    `(ulimit -Hn, LimitNOFILE of systemd, ulimits of the container)${lower}`
  );
}

/** Returns the number of files that this process may open; undefined where the system does not tell. */
export function openFilesLimit(file = '/proc/self/limits'): number | undefined {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]) || undefined;
  } catch {
    return undefined; // Only Linux has this file.
  }
}
