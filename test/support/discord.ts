import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Answer, Visitor } from './dashboard.ts';

/** A server in the list of an account. */
export interface DiscordServer {
  readonly id: string;
  readonly owner?: boolean;
  readonly permissions?: string;
}

/** An account of Discord, and what it has. */
export interface DiscordAccount {
  readonly id: string;
  readonly servers: readonly DiscordServer[];
  /** User name; "someone" unless it is given. */
  readonly username?: string;
  /** The name that Discord shows; null for an account that has none. */
  readonly globalName?: string | null;
}

/** The addresses that give way to another answer. */
type Place = 'authorize' | 'token' | 'user' | 'servers';

/** Answers instead of Discord, or lets the request hang. */
export type Instead = (req: IncomingMessage, res: ServerResponse) => void;

/** Permissions of Discord, by their names. */
export const PERMISSIONS = {
  administrator: '8',
  manageServer: '32',
  everything: '2251799813685247',
  sendMessages: '2048',
};

export const CLIENT = { id: '1122334455667788', secret: 'a-secret+of/the=app' };

interface Code {
  readonly account: DiscordAccount;
  readonly challenge: string;
  readonly redirectUri: string;
}

/** Plays the four addresses of Discord that a sign-in needs, as its documents describe them. */
export class FakeDiscord {
  /** Who is signed in to Discord in the browser; null = nobody. */
  account: DiscordAccount | null = null;
  /** What the person presses: the page is shown when it is left open. */
  presses: 'Authorize' | 'Cancel' | null = 'Authorize';
  /** Other answers than those of Discord. */
  readonly instead = new Map<Place, Instead>();
  /** The requests so far, as "METHOD path". */
  readonly requests: string[] = [];
  /** The parameters of the last request for a permission. */
  asked = new URLSearchParams();
  url = '';
  /** Accounts that have given the permission before: they need no page when none is wanted. */
  readonly #allowed = new Set<string>();
  readonly #codes = new Map<string, Code>();
  readonly #tokens = new Map<string, DiscordAccount>();
  readonly #server = createServer((req, res) => void this.#answer(req, res));

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.close().closeAllConnections();
    await once(this.#server, 'close');
  }

  /** Forgets accounts, permissions and other answers. */
  reset(): void {
    this.account = null;
    this.presses = 'Authorize';
    this.instead.clear();
    this.requests.length = 0;
    this.#allowed.clear();
  }

  /** The settings of a dashboard that signs in here. */
  get env(): Record<string, string> {
    return { DISCORD_CLIENT_ID: CLIENT.id, DISCORD_CLIENT_SECRET: CLIENT.secret, DISCORD_URL: this.url };
  }

  /** Sends a visitor from the dashboard to Discord, and returns the address to which Discord sends the visitor back. */
  async pass(begin: Answer): Promise<string> {
    const there = begin.headers.get('location') ?? '';
    if (!there.startsWith(`${this.url}/`))
      throw new Error(`${begin.status} leads to ${there}, and not to Discord: ${begin.text}`);
    const answer = await fetch(there, { redirect: 'manual' });
    const back = answer.headers.get('location');
    if (!back) throw new Error(`Discord answered ${answer.status}: ${await answer.text()}`);
    const { pathname, search } = new URL(back);
    return pathname + search;
  }

  /** Signs a visitor in by the button. @returns the answer to the browser that comes back. */
  async signIn(visitor: Visitor, account = this.account): Promise<Answer> {
    this.account = account;
    return visitor.get(await this.pass(await visitor.get('/sign-in/discord')));
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '', this.url);
    this.requests.push(`${req.method} ${url.pathname}`);
    const places = {
      'GET /oauth2/authorize': ['authorize', () => this.#authorize(url.searchParams, res)],
      'POST /api/oauth2/token': ['token', () => this.#token(req, res)],
      'GET /api/v10/users/@me': [
        'user',
        () =>
          this.#read(req, res, ({ id, username = 'someone', globalName = null }) => ({
            ...{ id, username, global_name: globalName, avatar: null },
          })),
      ],
      'GET /api/v10/users/@me/guilds': ['servers', () => this.#read(req, res, ({ servers }) => servers.map(listed))],
    } as const;
    const [place, answer] = places[`${req.method} ${url.pathname}` as keyof typeof places] ?? [];
    if (!place) return send(res, 404, { message: '404: Not Found' });
    if (place === 'authorize') this.asked = url.searchParams;
    const instead = this.instead.get(place);
    if (instead) return instead(req, res);
    await answer();
  }

  /** Asks the person, or answers without a question. */
  #authorize(asked: URLSearchParams, res: ServerResponse): void {
    const problem = problemOf(asked);
    if (problem) {
      send(res, 400, { message: problem });
      return;
    }
    const silent = asked.get('prompt') === 'none';
    const pressed = asked.get('pressed') ?? (silent ? 'Authorize' : this.presses);
    if (pressed === null) return void res.setHeader('content-type', 'text/html').end(pageOf(asked));
    const account = this.account;
    const isAllowed = account !== null && (!silent || this.#allowed.has(account.id));
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('state', asked.get('state') ?? '');
    back.searchParams.set('iss', this.url);
    if (!isAllowed) back.searchParams.set('error', account ? 'consent_required' : 'login_required');
    else if (pressed === 'Cancel') back.searchParams.set('error', 'access_denied');
    else {
      this.#allowed.add(account.id);
      const code = randomBytes(15).toString('base64url');
      const challenge = asked.get('code_challenge') ?? '';
      const redirectUri = asked.get('redirect_uri') ?? '';
      this.#codes.set(code, { account, challenge, redirectUri });
      back.searchParams.set('code', code);
    }
    res.writeHead(302, { location: back.href }).end();
  }

  async #token(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!req.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return send(res, 415, {});
    const form = new URLSearchParams(await text(req));
    if (form.get('client_id') !== CLIENT.id || form.get('client_secret') !== CLIENT.secret) {
      return send(res, 401, { error: 'invalid_client' });
    }
    const found = this.#codes.get(form.get('code') ?? '');
    // A code is good once.
    this.#codes.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const isRight =
      form.get('grant_type') === 'authorization_code' &&
      found?.redirectUri === form.get('redirect_uri') &&
      /^[\w.~-]{43,128}$/.test(verifier) &&
      timingSafeEqual(Buffer.from(challenge), Buffer.from(found?.challenge ?? ''));
    if (!isRight || !found)
      return send(res, 400, { error: 'invalid_grant', error_description: 'Invalid "code" in request.' });
    const token = randomBytes(22).toString('base64url');
    this.#tokens.set(token, found.account);
    const rest = {
      expires_in: 604_800,
      refresh_token: randomBytes(22).toString('base64url'),
      scope: 'guilds identify',
    };
    send(res, 200, { token_type: 'Bearer', access_token: token, ...rest });
  }

  #read(req: IncomingMessage, res: ServerResponse, document: (account: DiscordAccount) => unknown): void {
    const account = this.#tokens.get((req.headers.authorization ?? '').replace(/^Bearer /, ''));
    if (account) send(res, 200, document(account));
    else send(res, 401, { message: '401: Unauthorized', code: 0 });
  }
}

function problemOf(asked: URLSearchParams): string | undefined {
  if (asked.get('client_id') !== CLIENT.id) return 'Unknown Application';
  if (!/^https?:\/\/[^/]+\/sign-in\/discord\/callback$/.test(asked.get('redirect_uri') ?? ''))
    return 'Invalid OAuth2 redirect_uri';
  if (asked.get('response_type') !== 'code' || asked.get('scope') !== 'identify guilds') return 'Invalid Form Body';
  if (!/^[\w-]{43}$/.test(asked.get('code_challenge') ?? '')) return 'Invalid code_challenge';
  return asked.get('code_challenge_method') === 'S256' ? undefined : 'Invalid code_challenge_method';
}

/** An entry of the list, of the size that Discord's have. */
function listed({ id, owner = false, permissions = '2048' }: DiscordServer) {
  const features = [
    'COMMUNITY',
    'NEWS',
    'ANIMATED_ICON',
    'INVITE_SPLASH',
    'WELCOME_SCREEN_ENABLED',
    'MEMBER_VERIFICATION_GATE_ENABLED',
  ];
  return {
    id,
    name: `Server ${id}`,
    icon: 'a_70ddb9a2f2b1c2b8b5ee4b8e7d3a8f3c',
    banner: null,
    owner,
    permissions,
    features,
  };
}

function pageOf(asked: URLSearchParams): string {
  const link = (pressed: string) => {
    const address = new URLSearchParams([...asked, ['pressed', pressed]]);
    return `<a href="/oauth2/authorize?${String(address).replaceAll('&', '&amp;')}">${pressed}</a>`;
  };
  return `<!doctype html><title>Discord</title><h1>Guildrank wants to access your account</h1>${link('Authorize')} ${link('Cancel')}`;
}

function send(res: ServerResponse, status: number, document: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}
