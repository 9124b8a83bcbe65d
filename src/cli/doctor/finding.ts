import type { Config } from '../../config/service.ts';
import type { ReadStore } from '../../core/reads/read-store.ts';
import type { RedisClient } from '../../core/store/client.ts';

/**
 * The result of a check: "ok" = nothing is wrong, "note" = something to know, "problem" = something to correct, "unknown" = the check found nothing,
 * because the user of REDIS_URL may not look or the time was up.
 */
export type State = 'ok' | 'note' | 'problem' | 'unknown';

/** One line of the report of `doctor`. */
export interface Finding {
  readonly check: string;
  readonly state: State;
  readonly detail: string;
  /** The advice for a person about the finding. */
  readonly fix?: string;
}

/** The parts that the checks work with. They read, and write nothing. */
export interface CheckContext extends ReadStore {
  /** Rejects with the unchanged errors of Redis, because the checks read their words. */
  readonly client: RedisClient;
  /** A second connection, because the service has a second connection for messages. */
  readonly subscriber: RedisClient;
  readonly config: Config;
  /** Requests a second to compute the cost for. */
  readonly rate: number;
}

/** Looks at one thing. @throws the error of Redis, which then is the finding. */
export type Check = (context: CheckContext) => Promise<readonly Finding[]>;

/** A guild that cannot exist, because "~" is in no guild id. */
export const NO_GUILD = '~doctor';

const finding =
  (state: State) =>
  (check: string, detail: string, fix: string): Finding => ({ check, state, detail, fix });

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail });
export const note = finding('note');
export const problem = finding('problem');
export const unknown = finding('unknown');

/** Returns the first three of a list of names, and how many more there are. */
export function firstThree(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => (name.length > 80 ? `${name.slice(0, 80)}…` : name));
  return shown.join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
}
