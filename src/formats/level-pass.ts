import type { Input } from './inputs.ts';
import type { LevelCheck } from './levels.ts';
import { Problems } from './problems.ts';
import { readMembers } from './reading.ts';

/** Files whose first members have no levels have none, or so few that the load itself meets them. */
const FIRST_MEMBERS = 1000;
const SILENT = { update: () => {} };

/** Compares the levels of the inputs, and closes them. An input that cannot be read ends it: the load that follows says why. */
export async function compareLevels(inputs: readonly Input[], check: LevelCheck, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const reading = {
    ...{ inputs, strict: false, problems: new Problems(() => {}), progress: SILENT },
    signal: AbortSignal.any([signal, enough.signal]),
  };
  let members = 0;
  try {
    await readMembers(reading, (row) => {
      check.add(row);
      if (++members === FIRST_MEMBERS && check.compared === 0) enough.abort();
      return undefined;
    });
  } catch {
    // The load meets it too.
  } finally {
    for (const input of inputs) input.close();
  }
}
