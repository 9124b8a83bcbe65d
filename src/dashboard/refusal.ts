/** A request that is refused with a page. The message is for the person, and names the fix. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    message: string,
    /** Seconds after which it may be tried again. */
    readonly retryAfterS?: number,
  ) {
    super(message);
  }
}

/** Returns the refusal of a page that there is not, or that the session may not see: both look the same. */
export function notFound(): Refusal {
  return new Refusal(404, 'Not found', 'There is no such page, or this sign-in does not open it.');
}
