import { type EntryCode, RefusedError } from '../errors.ts';
import type { ScriptReply } from './script.ts';

/** @throws RefusedError when the reply of a script is {"REFUSED", index of the entry, code}. */
export function throwRefusal(reply: ScriptReply): void {
  if (reply[0] === 'REFUSED') throw new RefusedError(reply[2] as EntryCode, { index: Number(reply[1]) });
}
