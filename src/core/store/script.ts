import type { Scripts } from './scripts.ts';

/** A Lua command. Its code is the file of this name with the ending `.lua`, in any folder of src. */
export interface Script<Key extends string = string> {
  readonly scriptName: string;
  /** Names of its keys in the order of KEYS. */
  readonly keyNames: readonly Key[];
  /**
   * Runs it: one round trip.
   * @param keys by name; others are passed over.
   * @param further keys after those, as many as the call needs.
   * @throws StoreUnavailableError
   */
  <Reply = (string | number)[]>(
    scripts: Pick<Scripts, 'run'>,
    keys: Readonly<Record<Key, string>>,
    args?: readonly (string | number | Uint8Array)[],
    further?: readonly string[],
  ): Promise<Reply>;
}

/** Defines the Lua command `scriptName` with the names of its keys, in the order that its header says. A test compares them. */
export function defineScript<const Key extends string>(scriptName: string, keyNames: readonly Key[]): Script<Key> {
  const run = <Reply>(...[scripts, keys, args = [], further = []]: Parameters<Script<Key>>): Promise<Reply> =>
    scripts.run<Reply>(scriptName, [...keyNames.map((name) => keys[name]), ...further], ...args);
  return Object.assign(run, { scriptName, keyNames });
}
