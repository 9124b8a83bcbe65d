/** Time for an answer with its body, in milliseconds. */
const TIMEOUT_MS = 5000;

/** Bytes of an answer at most. The list of 200 servers with all their features has about 250 kB. */
const MAX_BYTES = 1024 * 1024;

/** Why there is no answer to work with. Its message is for the log, and repeats nothing of the answer. */
export class NoAnswer extends Error {
  constructor(
    message: string,
    /** Seconds after which Discord may be asked again, when it limits the requests of this service. */
    readonly retryAfterS?: number,
  ) {
    super(message);
  }
}

/** The longest and the usual time to wait after a limit, in seconds. */
const LONGEST_WAIT_S = 3600;
const USUAL_WAIT_S = 30;

/**
 * Sends a request and returns its answer with the whole body, of a bounded size and in a bounded time.
 * @throws NoAnswer also for a limit of requests (429) and a failure of the server (5xx).
 */
export async function boundedFetch(url: string, options: object): Promise<Response> {
  const path = new URL(url).pathname;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, { ...options, signal });
    if (response.status !== 429 && response.status < 500) {
      return new Response(await bodyOf(response, path), { status: response.status, headers: response.headers });
    }
    await response.body?.cancel();
    const retryAfterS = response.status === 429 ? waitOf(response.headers.get('retry-after')) : undefined;
    throw new NoAnswer(`${path} answered with status ${response.status}`, retryAfterS);
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    const reason = signal.aborted ? `not within ${TIMEOUT_MS} ms` : codeOf(error);
    throw new NoAnswer(`${path} did not answer: ${reason}`);
  }
}

async function bodyOf(response: Response, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!response.body) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    // Leaving the loop ends the transfer.
    if (bytes > MAX_BYTES) throw new NoAnswer(`${path} answered with more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Returns the seconds of a header Retry-After, within bounds. */
function waitOf(header: string | null): number {
  const seconds = Math.ceil(Number(header ?? Number.NaN));
  return seconds > 0 ? Math.min(seconds, LONGEST_WAIT_S) : USUAL_WAIT_S;
}

/** Returns the code of an error of the connection, such as ECONNREFUSED. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'the connection broke';
}
