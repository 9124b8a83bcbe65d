import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  processAuthorizationCodeResponse,
  protectedResourceRequest,
  ResponseBodyError,
  validateAuthResponse,
} from 'oauth4webapi';
import * as z from 'zod';
import type { DiscordConfig } from '../../../config/discord.ts';
import { BOUNDS, cutText } from '../../../core/text-bounds.ts';
import { nameOf } from '../../../widget/name.ts';
import { boundedFetch, NoAnswer } from './bounded-fetch.ts';

/** The data that the dashboard asks for: the person, and the servers of the person. */
const SCOPES = 'identify guilds';

/** Bits of a person's permissions in a server: Administrator, which includes all other permissions, and Manage Server. */
const MANAGES = 0x8n | 0x20n;

/** Most servers of a person. */
const MAX_SERVERS = 200;

const id = z.string().regex(/^\d{1,20}$/);
/** An account. `global_name` is the name that Discord shows; null for an account with a user name only. */
const userSchema = z.object({ id, username: z.string().default(''), global_name: z.string().nullish() });
const serversSchema = z
  .array(z.object({ id, owner: z.boolean(), permissions: z.string().regex(/^\d{1,40}$/) }))
  .max(MAX_SERVERS);

/** A person, as Discord knows them. */
export interface DiscordPerson {
  readonly userId: string;
  /** The name that Discord shows of this person; "" if Discord tells no name. */
  readonly name: string;
  /** The servers that this person owns, or has Manage Server in: 200 at most. */
  readonly manages: readonly string[];
}

/** The secrets of one sign-in, which tie the answer of Discord to its beginning. */
export interface SignInSecrets {
  readonly state: string;
  /** The verifier of PKCE, 43 characters. */
  readonly verifier: string;
}

/** Discord says nothing about a person, because the person refused, or because Discord would have to ask the person first. */
export class RefusedByDiscord extends Error {}

/** An answer of Discord belongs to no sign-in, or to a sign-in that is over. */
export class WrongAnswer extends Error {}

/** Asks Discord who a person is. The client keeps no token. */
export class DiscordClient {
  private readonly server: AuthorizationServer;
  private readonly client: { readonly client_id: string };
  private readonly options;

  /** @param redirectUri the address to which Discord sends the browser back. */
  constructor(
    private readonly config: DiscordConfig,
    private readonly redirectUri: () => string,
  ) {
    const { url, clientId } = config;
    this.server = {
      issuer: url,
      authorization_endpoint: `${url}/oauth2/authorize`,
      token_endpoint: `${url}/api/oauth2/token`,
      code_challenge_methods_supported: ['S256'],
    };
    this.client = { client_id: clientId };
    // The settings allow http:// for a server on this machine only.
    this.options = { [customFetch]: boundedFetch, [allowInsecureRequests]: url.startsWith('http:') };
  }

  /** Returns the address at which Discord asks the person. @param isSilent whether Discord must answer without asking the person. */
  async authorizationUrl({ state, verifier }: SignInSecrets, isSilent: boolean): Promise<string> {
    const url = new URL(this.server.authorization_endpoint ?? '');
    url.search = String(
      new URLSearchParams({
        client_id: this.client.client_id,
        redirect_uri: this.redirectUri(),
        response_type: 'code',
        scope: SCOPES,
        state,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(isSilent && { prompt: 'none' }),
      }),
    );
    return url.href;
  }

  /**
   * Returns the person of an answer of Discord. Three requests.
   * @param answer the parameters with which the browser came back.
   * @throws RefusedByDiscord, WrongAnswer, NoAnswer
   */
  async personOf(answer: URLSearchParams, secrets: SignInSecrets): Promise<DiscordPerson> {
    const token = await this.tokenOf(answer, secrets);
    const [user, servers] = await Promise.all([
      this.read('/api/v10/users/@me', token, userSchema),
      this.read('/api/v10/users/@me/guilds', token, serversSchema),
    ]);
    const manages = servers.filter(({ owner, permissions }) => owner || (BigInt(permissions) & MANAGES) !== 0n);
    // An account can have a name that nobody can see.
    const name = nameOf({ username: user.global_name ?? '', user_id: user.username }).replace(/\p{Cc}/gu, '');
    return {
      userId: user.id,
      name: cutText(name, BOUNDS.sessionName.bytes),
      manages: [...new Set(manages.map((server) => server.id))],
    };
  }

  /** Exchanges the code of an answer for a token. */
  private async tokenOf(answer: URLSearchParams, { state, verifier }: SignInSecrets): Promise<string> {
    const { server, client } = this;
    const parameters = valid(() => validateAuthResponse(server, client, answer, state));
    const authentication = ClientSecretPost(this.config.clientSecret);
    const redirectUri = this.redirectUri();
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      redirectUri,
      verifier,
      this.options,
    ).catch(throwWrong);
    try {
      return (await processAuthorizationCodeResponse(server, client, response)).access_token;
    } catch (error) {
      if (!(error instanceof ResponseBodyError)) throw new NoAnswer(`the token was refused: status ${response.status}`);
      // The code was used before, has expired, or belongs to another sign-in.
      if (error.error === 'invalid_grant') throw new WrongAnswer('invalid_grant');
      throw new NoAnswer(`the token was refused: ${error.error.slice(0, 64)}`);
    }
  }

  /** Reads a document about the person of a token. */
  private async read<T>(path: string, token: string, schema: z.ZodType<T>): Promise<T> {
    const url = new URL(this.config.url + path);
    const headers = new Headers({ accept: 'application/json', 'user-agent': 'Guildrank' });
    const response = await protectedResourceRequest(token, 'GET', url, headers, null, this.options).catch((error) => {
      throw error instanceof NoAnswer ? error : new NoAnswer(`${path} refused the token`);
    });
    const document = response.status === 200 ? await response.json().catch(() => undefined) : undefined;
    const { data, success } = schema.safeParse(document);
    if (!success) throw new NoAnswer(`${path} answered with status ${response.status}, and not as expected`);
    return data;
  }
}

/** Returns the result of a check of an answer. @throws WrongAnswer, RefusedByDiscord or NoAnswer if the check fails. */
function valid<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    return throwWrong(error);
  }
}

/** Errors in an answer of Discord that the person could not have avoided. */
const FAILURES: readonly string[] = ['server_error', 'temporarily_unavailable', 'invalid_client', 'invalid_scope'];

function throwWrong(error: unknown): never {
  if (error instanceof NoAnswer) throw error;
  if (!(error instanceof AuthorizationResponseError)) throw new WrongAnswer('the answer belongs to another sign-in');
  const { error: code } = error;
  if (FAILURES.includes(code)) throw new NoAnswer(`/oauth2/authorize answered with ${code}`);
  throw new RefusedByDiscord(code.slice(0, 64));
}
