/** A request that is refused with a page. The message is for the person, and names the fix. */
export class RefusedPage extends Error {
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

/** Returns what refuses a page that does not exist, and a page that the session may not see. Both look the same. */
export function notFound(): RefusedPage {
  return new RefusedPage(404, 'Not found', 'There is no such page, or this sign-in does not open it.');
}
