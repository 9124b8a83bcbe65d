/** A request that is refused with a page. The message is for the person, and names the fix. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    message: string,
    /** Seconds after which the person may try again. */
    readonly retryAfterS?: number,
  ) {
    super(message);
  }
}

/** Returns the refusal for a page that does not exist, or that the session may not see. Both look the same. */
export function notFound(): Refusal {
  return new Refusal(404, 'Not found', 'There is no such page, or this sign-in does not open it.');
}
