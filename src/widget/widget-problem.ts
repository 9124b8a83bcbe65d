import type { DataAddresses } from './data-addresses.ts';
import type { WidgetWords } from './words.ts';

/** The cause of a problem: the attributes of the author, one member, a search in too many names, the quota, or the service. */
export type ProblemKind = 'setup' | 'missing' | 'names' | 'quota' | 'away';

/** The reason why there is no data. */
export class WidgetProblem extends Error {
  /**
   * @param cause a sentence for the author, in English.
   * @param retryS seconds until the next try; undefined if trying again does not help.
   */
  constructor(
    readonly kind: ProblemKind,
    cause?: string,
    readonly retryS?: number,
  ) {
    super(cause);
  }

  /** Returns the message for visitors. @param id the member that was asked for. */
  say(words: WidgetWords, id = ''): string {
    if (this.kind === 'names') return words.say('idNeeded');
    return words.say(this.kind === 'missing' ? this.kind : 'away', { id });
  }
}

/** A problem document, as far as it concerns the widget. */
interface ProblemBody {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly parameter?: string }[];
}

/** Returns the problem of a response that has no data. */
export function problemOfResponse(
  response: Response,
  body: unknown,
  root: string,
  hasKey: boolean,
  addresses: DataAddresses,
): WidgetProblem {
  const { status, headers } = response;
  const { code, detail = 'The request was refused.', errors } = (body ?? {}) as ProblemBody;
  const retryS = secondsOf(headers.get('Retry-After'));
  if (status === 429) return new WidgetProblem('quota', addresses.limit, retryS);
  if (status >= 500) return new WidgetProblem('away', `The service answered ${status}.`, retryS);
  if (code === 'member_not_found') return new WidgetProblem('missing');
  if (errors?.some(({ parameter }) => parameter === 'find')) return new WidgetProblem('names');
  if (status === 401) {
    const cause = hasKey
      ? 'The API key was not accepted. Check the api-key attribute.'
      : 'The address in base-url adds no API key. Set the api-key attribute, or leave /api/v1 out of base-url.';
    return new WidgetProblem('setup', cause);
  }
  if (status === 403 || status === 400) return new WidgetProblem('setup', detail);
  return new WidgetProblem('setup', addresses.absent(root));
}

/** Returns the seconds of a Retry-After header, which can be a date. */
function secondsOf(header: string | null): number {
  const text = header ?? '1';
  return Math.max(1, Number(text) || (Date.parse(text) - Date.now()) / 1000 || 1);
}

const told = new Set<string>();

/** Tells the author something in the console, each message once. */
export function tellAuthor(message: string): void {
  if (told.has(message)) return;
  told.add(message);
  // biome-ignore lint/suspicious/noConsole: the author of the web page reads it there.
  console.warn(`Guildrank widget: ${message}`);
}
