import { TokenBuckets } from '../core/access/token-buckets.ts';
import { redisTime } from '../core/store/clock.ts';
import type { Store } from '../core/store/store.ts';
import { AUDIT_BYTES, cutText } from '../core/text-bounds.ts';
import { inTurn } from './one-at-a-time.ts';
import { RefusedPage } from './refused-page.ts';
import { messageForPerson } from './sentences.ts';

/** The author of an entry. */
interface Author {
  /** "operator", or "owner" with the user id, if the invite named a person; and the id of the session. */
  readonly who: string;
  /** IP address. */
  readonly from: string;
}

/** The author of a change. */
export interface Actor extends Author {
  readonly role: 'operator' | 'owner';
}

/** A change in the dashboard, and the person who made it. */
interface Action extends Author {
  readonly what: string;
}

/** An entry of the log. */
interface AuditEntry extends Action {
  /** ISO 8601 in UTC, by Redis's clock. */
  readonly at: string;
  /** How often the same action happened in a row, until this time. */
  readonly times: number;
}

/**
 * Whether an entry is about access or about the data of the guild. The kinds have separate logs, so that many entries of one kind do not push out the
 * other kind.
 */
type AuditKind = 'security' | 'data';

/** About how many entries of each kind are kept for a guild. With the bounds of their texts, they take half a megabyte. */
const MAX_ENTRIES = 1000;
/** Milliseconds by which the clocks of two Redis servers may differ. */
const CLOCK_SLACK_MS = 60_000;
/** Changes that the owners of a guild, or the operators, may make in the guild at once, and the time after which they may make one more. */
const CHANGES = { burst: 60, intervalMs: 2000 };

/** Writes and reads the audit logs of guilds. Every method can throw StoreUnavailableError. */
export class AuditLog {
  private readonly changes: TokenBuckets;
  /** Writes the entries of a stream one after the other, so that each entry can be compared with the entry before. */
  private readonly writeInTurn = inTurn();

  /**
   * @param now milliseconds on a clock that never goes back.
   * @param report is told of each entry, for the log of the process.
   */
  constructor(
    private readonly store: Store,
    now: () => number,
    private readonly report: (guildId: string | null, action: Action) => void,
  ) {
    this.changes = new TokenBuckets(now, CHANGES);
  }

  /**
   * Makes a change and logs it. The entry is written first, because a change without an entry is worse than an entry without a change. A
   * change that is refused gets a second entry that says so.
   * @param what the change in words, without a secret.
   * @throws RefusedPage when too many changes are made in the guild.
   */
  async change<T>(
    guildId: string,
    actor: Actor,
    what: string,
    work: () => Promise<T>,
    kind: AuditKind = 'data',
  ): Promise<T> {
    // The limit does not count by session: a bot gives its owners as many links, and so sessions, as they ask for.
    const waitMs = this.changes.take(`${guildId} ${actor.role}`);
    if (waitMs > 0) throw tooManyChanges(Math.ceil(waitMs / 1000));
    return this.make(guildId, actor, what, work, kind);
  }

  /** Takes access away, and logs it as {@link note} does. It is never refused, because somebody else may have used up the limit of changes. */
  end<T>(guildId: string | null, actor: Actor, what: string, work: () => Promise<T>): Promise<T> {
    return this.make(guildId, actor, what, work, 'security');
  }

  private async make<T>(
    guildId: string | null,
    actor: Actor,
    what: string,
    work: () => Promise<T>,
    kind: AuditKind,
  ): Promise<T> {
    await this.note(guildId, actor, what, kind);
    try {
      return await work();
    } catch (error) {
      const isRefused = error instanceof RefusedPage || messageForPerson(error) !== undefined;
      if (isRefused) await this.note(guildId, actor, `Not done: ${what}`, kind);
      throw error;
    }
  }

  /**
   * Logs what has happened. If the last entry says the same, the new entry replaces it and counts up.
   * @param guildId the guild; null for something that concerns no guild, which only the log of the process has.
   */
  async note(guildId: string | null, author: Author, what: string, kind: AuditKind): Promise<void> {
    const action = cutAction({ ...author, what });
    if (guildId !== null) {
      const stream = this.streams(guildId)[kind];
      await this.writeInTurn(stream, () => this.write(stream, action));
    }
    this.report(guildId, action);
  }

  private async write(stream: string, { who, from, what }: Action): Promise<void> {
    const { client } = this.store;
    const [[last], now] = await Promise.all([client.xrevrange(stream, '+', '-', 'COUNT', 1), redisTime(client)]);
    const before = last && entryOf(...last);
    const isRepeated = before?.who === who && before.what === what && before.from === from;
    const fields = ['who', who, 'what', what, 'from', from, 'times', isRepeated ? before.times + 1 : 1];
    // If Redis's clock was set back, the id of the entry follows the last id and not the clock. So the entry has its time in a field.
    const nowMs = Math.floor(now / 1000);
    if (last && msOf(last[0]) > nowMs + CLOCK_SLACK_MS) fields.push('at', nowMs);
    await client.xadd(stream, 'MAXLEN', '~', MAX_ENTRIES, '*', ...fields);
    if (!last || !isRepeated) return;
    try {
      await client.xdel(stream, last[0]);
    } catch {
      // If the old entry cannot be deleted, the two entries stay, and each of them is true.
    }
  }

  /** Returns the latest entries of each kind together, newest first. One round trip. @param count the most of each kind. */
  async latest(guildId: string, count: number): Promise<AuditEntry[]> {
    const { security, data } = this.streams(guildId);
    const lists = await Promise.all(
      [security, data].map((stream) => this.store.client.xrevrange(stream, '+', '-', 'COUNT', count)),
    );
    const entries = lists.flat().map((entry) => entryOf(...entry));
    return entries.sort((a, b) => b.at.localeCompare(a.at));
  }

  private streams(guildId: string): Record<AuditKind, string> {
    const { audit, securityAudit } = this.store.redisKeys.guild(guildId);
    return { security: securityAudit, data: audit };
  }
}

/** @param fields names and values in turn, in the order in which they are written. */
function entryOf(id: string, fields: readonly string[]): AuditEntry {
  const [, who = '', , what = '', , from = '', , times = '1', , ms = msOf(id)] = fields;
  const at = new Date(Number(ms)).toISOString();
  return { at, ...cutAction({ who, what, from }), times: Number(times) };
}

/** Returns the time in the id of an entry, in milliseconds since the epoch. */
function msOf(id: string): number {
  return Number(id.split('-')[0]);
}

/** Characters that could break a line, or reverse the direction of the rest of it. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Returns a text that a person wrote without the characters that could break or reverse a line. */
export function onOneLine(text: string): string {
  return text.replace(CONTROLS, '');
}

/** Returns an action whose texts are on one line each, and cut to their bounds. */
function cutAction({ who, from, what }: Action): Action {
  return {
    who: cutText(onOneLine(who), AUDIT_BYTES.who),
    from: cutText(onOneLine(from), AUDIT_BYTES.from),
    what: cutText(onOneLine(what), AUDIT_BYTES.what),
  };
}

function tooManyChanges(seconds: number): RefusedPage {
  const message = `Too many changes were made in this server, and this one was not made. Try again in ${seconds} s.`;
  return new RefusedPage(429, 'Too many changes', message, seconds);
}
