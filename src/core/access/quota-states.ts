/** The state of a guild's quota after a request, or the state of the API key's cap if the cap leaves fewer requests. */
export interface QuotaState {
  readonly allowed: boolean;
  /** Requests per window. */
  readonly limit: number;
  /** Requests left in the window after this request. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
  /** Whether this is the state of the cap. */
  readonly ofKey: boolean;
}

/** Requests by the decision about them. */
export interface Decisions {
  allowed: number;
  denied: number;
}

/** Requests counted in a window, including the requests that are counted now, and the milliseconds until the window ends. */
type Counted = readonly [consumed: number, msLeft: number];

/** The state of a counter before the present requests. */
export interface Counter {
  /** Requests per window. */
  readonly limit: number;
  readonly used: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Decodes the reply of command-count.lua: requests of the window, including refused requests, and milliseconds until the window ends. */
export function parseCount(reply: string): Counted {
  const end = reply.indexOf('\n');
  return [Number(reply.slice(0, end)), Number(reply.slice(end + 1))];
}

/** Decodes the reply of command-capped.lua: the same of the guild and of the key. */
export function parseCounts(reply: string): readonly [Counted, Counted] {
  const end = reply.indexOf('\n', reply.indexOf('\n') + 1);
  return [parseCount(reply.slice(0, end)), parseCount(reply.slice(end + 1))];
}

/**
 * Returns the state after each of the requests that were counted together, as if they had been counted one by one, and adds them to the
 * plan's counts. Each state comes from the counter that leaves fewer requests. If both counters leave equally many, the state comes from the counter
 * that is renewed later.
 * @param cap the counter of an API key with a cap.
 */
export function statesOf(guild: Counter, cap: Counter | undefined, requests: number, counts: Decisions): QuotaState[] {
  const roomOf = ({ limit, used }: Counter) => limit - used;
  const room = cap ? Math.min(roomOf(guild), roomOf(cap)) : roomOf(guild);
  const states: QuotaState[] = [];
  for (let request = 1; request <= requests; request++) {
    const allowed = request <= room;
    if (allowed) counts.allowed++;
    else counts.denied++;
    const kept = Math.max(0, Math.min(request, room));
    const restOf = (counter: Counter) => Math.max(0, roomOf(counter) - kept);
    const ofKey = cap !== undefined && (restOf(guild) - restOf(cap) || cap.resetMs - guild.resetMs) > 0;
    const shown = ofKey ? cap : guild;
    states.push({ allowed, limit: shown.limit, remaining: restOf(shown), resetMs: shown.resetMs, ofKey });
  }
  return states;
}
