import { readFileSync } from 'node:fs';
import { MAX_ADMIN_CONNECTIONS } from './http/server/listener.ts';

/** Files that a process has open beside connections to its ports: its own, the log, Redis with some nodes, the first looks at an address. */
const OWN_FILES = 100;

/** Connections that a process takes even if it may open very few files. */
const LEAST_CONNECTIONS = 10;

/** How many connections a process takes. */
interface ConnectionLimit {
  readonly maxConnections: number;
  /** Why these are fewer than the settings say, and how to have more; undefined if they are not fewer. */
  readonly warning: string | undefined;
}

/**
 * Returns how many connections a process can take with the files that it may open, so that the admin port keeps its own. Node has raised the
 * limit to the hard limit at its start.
 * @param limit of open files; undefined = unknown.
 */
export function fittingConnections(maxConnections: number, limit: number | undefined): ConnectionLimit {
  const others = MAX_ADMIN_CONNECTIONS + OWN_FILES;
  const needed = maxConnections + others;
  if (limit === undefined || limit >= needed) return { maxConnections, warning: undefined };
  const fitting = Math.min(maxConnections, Math.max(limit - others, LEAST_CONNECTIONS));
  const warning =
    `a process may open ${limit} files, and MAX_CONNECTIONS=${maxConnections} needs ${needed}: it takes ${fitting} connections. For more, raise the ` +
    'hard limit (ulimit -Hn, LimitNOFILE of systemd, ulimits of the container)';
  return { maxConnections: fitting, warning };
}

/** Returns the number of files that this process may open; undefined where the system does not tell. */
export function openFilesLimit(file = '/proc/self/limits'): number | undefined {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]) || undefined;
  } catch {
    return undefined; // Only Linux has this file.
  }
}
