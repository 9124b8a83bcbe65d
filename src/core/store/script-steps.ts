import { throwRefusal } from './refused-reply.ts';
import { defineScript, type ScriptArgument, type ScriptReply } from './script.ts';

/** The token of the lock, which every step takes. */
interface LockToken {
  readonly token: string;
}

/**
 * Returns a function that defines the steps of one script. Each step sends its name, the token of the lock, and its own fields.
 * @param name of the script.
 * @param keys of the script, which every step has.
 * @param throwObstacle throws RefusedError for a reply that no step can use.
 */
export function stepsOfScript<const Key extends string, Shared extends LockToken = LockToken>(
  name: string,
  keys: readonly Key[],
  throwObstacle: (reply: ScriptReply, fields: Shared) => void = () => {},
) {
  return <Own extends object, Result>(
    step: string,
    args: (fields: Own) => readonly ScriptArgument[],
    decode: (reply: ScriptReply) => Result,
  ) =>
    defineScript({
      name,
      keys,
      boards: true,
      args: (fields: Shared & Own) => [step, fields.token, ...args(fields)],
      decode(reply: ScriptReply, fields): Result {
        throwRefusal(reply);
        throwObstacle(reply, fields);
        return decode(reply);
      },
    });
}
