import { RefusedError, StoreUnavailableError } from 'guildrank-kit/writer';

/** A failure is one line in the log and one short answer to the person. */

/** Time before a call of Redis is sent again. An answer to a command has to be there after three seconds. */
const RETRY_MS = 300;

/**
 * Returns the cause of a failure in one line.
 * @param {unknown} error
 */
export function lineOf(error) {
  const cause = error instanceof StoreUnavailableError ? `Redis: ${error.reason}` : error;
  return String(cause instanceof Error ? cause.message || cause.name : cause).replaceAll(/\s*\n\s*/g, ' ');
}

/**
 * Returns what a person is told of a failure.
 * @param {unknown} error
 */
export function answerTo(error) {
  if (error instanceof StoreUnavailableError) return 'The ranking cannot be reached now. Try again in a minute.';
  if (error instanceof RefusedError) return `${error.tell()}. Nothing was changed.`;
  return 'That did not work. Try again in a minute.';
}

/**
 * Returns a function that does a step on its own: a failure is a line in the log, and the caller goes on.
 * @param {(line: string) => void} log
 */
export function attempts(log) {
  /**
   * @template T
   * @param {string} what
   * @param {() => Promise<T>} step
   * @returns {Promise<T | undefined>} undefined after a failure.
   */
  return async (what, step) => {
    try {
      return await step();
    } catch (error) {
      log(`${what}: ${lineOf(error)}`);
      return undefined;
    }
  };
}

/**
 * Makes a call that names an event, and makes it once more when Redis fails: it is done once all the same.
 * @template {{ readonly repeated: boolean }} T
 * @param {() => Promise<T | null>} call
 * @param {(ms: number) => Promise<unknown>} wait
 * @returns {Promise<T | null>} null when another process of this bot has done it, and tells its members.
 */
export async function once(call, wait) {
  try {
    const result = await call();
    return result?.repeated ? null : result;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    await wait(RETRY_MS);
    return call();
  }
}
