/** The bytes sent over one connection of its own. */
export interface Sent {
  /** Text of each request, one byte a character. `<key NAME>` stands for a key of data.ts, `<etag PATH>` for a present tag. */
  readonly requests: readonly string[];
  /** Sends them together; otherwise each waits for the answer before it. */
  readonly pipelined?: boolean;
  /** Redis commands to run before: their words, or a text with a space between the words. */
  readonly before?: readonly (string | readonly string[])[];
  /** It is sent until it is refused with 429, so often at most; only the refusal is recorded. */
  readonly refusedWithin?: number;
}

/** Requests by what they are about. */
export type Section = Readonly<Record<string, readonly Sent[]>>;

export type Headers = Readonly<Record<string, string>>;

export const HOST = 'api.example';

/** One request with these headers after Host; `version` is that of HTTP. */
export function raw(method: string, target: string, headers: Headers = {}, version = '1.1'): string {
  const lines = Object.entries({ Host: HOST, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/${version}\r\n${lines.join('')}\r\n`;
}

/** One request over a connection of its own. */
export function one(method: string, target: string, headers?: Headers, version?: string): Sent {
  return { requests: [raw(method, target, headers, version)] };
}

/** One request as it is, the headers given as lines. */
export function lines(...text: readonly string[]): Sent {
  return { requests: [`${text.join('\r\n')}\r\n\r\n`] };
}

/** Requests one after another over the same connection. */
export function inTurn(...sent: readonly Sent[]): Sent {
  return { requests: sent.flatMap(({ requests }) => requests) };
}

/** Requests sent together over the same connection. */
export function pipelined(...sent: readonly Sent[]): Sent {
  return { ...inTurn(...sent), pipelined: true };
}

/** The target of an operation; `rest` begins after the guild's id. */
export function target(rest: string, guild = 'guild'): string {
  return `/api/v1/servers/${guild}${rest}`;
}

/** Headers with the key of this name. */
export function withKey(name = 'guild', headers: Headers = {}): Headers {
  return { 'x-api-key': `<key ${name}>`, ...headers };
}

/** GET of an operation with the guild's own key. */
export function get(rest: string, guild = 'guild', headers?: Headers): Sent {
  return one('GET', target(rest, guild), withKey(guild, headers));
}

/** HEAD of an operation with the guild's own key. */
export function head(rest: string, guild = 'guild', headers?: Headers): Sent {
  return one('HEAD', target(rest, guild), withKey(guild, headers));
}
