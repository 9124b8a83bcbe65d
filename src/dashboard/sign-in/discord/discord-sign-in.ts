import type { DiscordConfig } from '../../../config/discord.ts';
import { NoAnswer } from './bounded-fetch.ts';
import { DiscordClient, type DiscordPerson, type SignInSecrets } from './discord-client.ts';

/** Where Discord sends the browser back. */
export const CALLBACK = '/sign-in/discord/callback';

/** Most answers that are handled at once. Each can take some megabytes. */
const MAX_AT_ONCE = 16;

/** Asks Discord who people are. Bounds the answers that are handled at once, and asks nothing while Discord limits the requests of this service. */
export class DiscordSignIn {
  /** User ids of the operators. */
  readonly operators: readonly string[];
  private readonly client: DiscordClient;
  private atOnce = 0;
  private limitedUntil = 0;

  /**
   * @param url address of the dashboard.
   * @param now milliseconds on a clock that never goes back.
   * @param onFailure is told why Discord gave no answer to work with.
   */
  constructor(
    config: DiscordConfig,
    url: () => string,
    private readonly now: () => number,
    private readonly onFailure: (reason: string) => void,
  ) {
    this.operators = config.operators;
    this.client = new DiscordClient(config, () => url() + CALLBACK);
  }

  /** Returns the address at which Discord asks the person. @param isSilent whether Discord must answer without asking the person. */
  authorizationUrl(secrets: SignInSecrets, isSilent: boolean): Promise<string> {
    return this.client.authorizationUrl(secrets, isSilent);
  }

  /**
   * Returns the person of an answer of Discord.
   * @param answer the parameters with which the browser came back.
   * @throws RefusedByDiscord, WrongAnswer, NoAnswer
   */
  async personOf(answer: URLSearchParams, secrets: SignInSecrets): Promise<DiscordPerson> {
    const waitMs = this.limitedUntil - this.now();
    if (waitMs > 0) throw new NoAnswer('Discord limits this service', Math.ceil(waitMs / 1000));
    if (this.atOnce >= MAX_AT_ONCE) throw new NoAnswer(`${MAX_AT_ONCE} people sign in at this moment`, 5);
    this.atOnce++;
    try {
      return await this.client.personOf(answer, secrets);
    } catch (error) {
      if (error instanceof NoAnswer) {
        this.onFailure(error.message);
        if (error.retryAfterS !== undefined) this.limitedUntil = this.now() + error.retryAfterS * 1000;
      }
      throw error;
    } finally {
      this.atOnce--;
    }
  }
}
