/** A call on one member of a guild, as a client saw it. Times are on one clock, in milliseconds. */
export interface Call {
  readonly kind: 'add' | 'read';
  readonly start: number;
  /** When the reply came; undefined for an addition that nobody acknowledged, which may be done at any later time, or never. */
  readonly end?: number | undefined;
  /** The XP that was replied: after an addition of 1, or as it was read. */
  readonly xp?: number | undefined;
}

/** What the answers may deviate from, besides the order of calls that overlap. */
export interface Allowance {
  /** How long ago a read may have been true. */
  readonly staleMs?: number;
  /** Whether an addition that nobody acknowledged may be seen, and be gone later: a failover loses what no replica has. */
  readonly mayLose?: boolean;
}

/** A possible moment. The XP is `acknowledged` and `done` together. */
interface State {
  readonly acknowledged: number;
  /** The addition that runs, is acknowledged later and is not done yet. */
  readonly adding: Call | undefined;
  /** Additions that nobody acknowledged and that are not done yet. */
  readonly open: number;
  /** Those that are done and not lost. They are all alike, so their number is enough. */
  readonly done: number;
  /** Reads that have not had their moment. */
  readonly unread: readonly Call[];
}

/**
 * Searches an order of the calls that explains every reply: each call happens at one moment between its start and its end, one after
 * another (Wing and Gong 1993). All states that are possible so far are kept, and extended when a call ends (Lowe 2017).
 * @param calls all calls on one member; additions that are acknowledged do not overlap.
 * @returns the first call that nothing explains; undefined when there is none.
 */
export function findFault(
  calls: readonly Call[],
  initialXp: number,
  { staleMs = 0, mayLose = false }: Allowance = {},
): Call | undefined {
  const events = calls.flatMap((call) => [
    { at: call.kind === 'read' ? call.start - staleMs : call.start, call, isEnd: false },
    ...(call.end === undefined ? [] : [{ at: call.end, call, isEnd: true }]),
  ]);
  // At one moment the starts come first: such calls overlap.
  events.sort((a, b) => a.at - b.at || Number(a.isEnd) - Number(b.isEnd));
  let states: State[] = [{ acknowledged: initialXp, adding: undefined, open: 0, done: 0, unread: [] }];
  for (const { call, isEnd } of events) {
    if (!isEnd) {
      states = states.map((state) => begun(state, call));
      continue;
    }
    const isDone = ({ adding, unread }: State) => (call.kind === 'add' ? adding !== call : !unread.includes(call));
    states = reachable(states, mayLose).filter(isDone);
    if (states.length === 0) return call;
  }
  return undefined;
}

function begun(state: State, call: Call): State {
  if (call.kind === 'read') return read({ ...state, unread: [...state.unread, call] });
  return call.end === undefined ? { ...state, open: state.open + 1 } : { ...state, adding: call };
}

/** Gives every read its moment that can have it now: a read changes nothing, so to wait is never better. */
function read(state: State): State {
  const xp = state.acknowledged + state.done;
  return { ...state, unread: state.unread.filter((call) => call.xp !== xp) };
}

/** Returns these states and all that additions, and the loss of some, make of them. */
function reachable(states: readonly State[], mayLose: boolean): State[] {
  const found = new Map<string, State>();
  const waiting = [...states];
  for (let state = waiting.pop(); state; state = waiting.pop()) {
    const { acknowledged, adding, open, done, unread } = state;
    const key = [acknowledged, open, done, ...unread.map(({ start, end, xp }) => `${start}-${end}-${xp}`)].join();
    if (found.has(key)) continue;
    found.set(key, state);
    if (adding && acknowledged + done + 1 === adding.xp) {
      waiting.push(read({ ...state, acknowledged: acknowledged + 1, adding: undefined }));
    }
    if (open > 0) waiting.push(read({ ...state, open: open - 1, done: done + 1 }));
    if (done > 0 && mayLose) waiting.push(read({ ...state, done: done - 1 }));
  }
  return [...found.values()];
}
