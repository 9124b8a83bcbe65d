import * as z from 'zod';
import { addressSetting, listSetting } from './values.ts';

/** The sign-in with Discord. */
export interface DiscordConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Address of Discord, without a slash at the end. */
  readonly url: string;
  /** User ids of the operators. */
  readonly operators: readonly string[];
}

const URL_FORMAT =
  'must be an address such as https://discord.com, without a path; http:// is allowed for this machine only';

/** A person of the list costs nothing, but a list this long is a mistake. */
const MAX_OPERATORS = 100;

/** The variables of the sign-in with Discord. */
export const discordVariables = {
  DISCORD_CLIENT_ID: z
    .string()
    .regex(/^\d{1,20}$/, 'must be the number that Discord shows as Client ID of the application')
    .default(''),
  DISCORD_CLIENT_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]{1,256}$/, 'must be the Client Secret as Discord shows it, without spaces')
    .default(''),
  DISCORD_URL: addressSetting.refine((text) => text === '' || isAllowed(text), URL_FORMAT),
  DASHBOARD_OPERATORS: listSetting()
    .refine(
      (ids) => ids.every((id) => /^\d{1,20}$/.test(id)),
      'must list user ids of Discord, such as 80351110224678912,53908232506183680',
    )
    .refine((ids) => ids.length <= MAX_OPERATORS, `must list ${MAX_OPERATORS} people at most`),
};

const variables = z.object(discordVariables);

/** Returns what is wrong with these variables together; undefined for nothing. */
export function discordProblem(env: z.infer<typeof variables>): string | undefined {
  const { DISCORD_CLIENT_ID: id, DISCORD_CLIENT_SECRET: secret, DASHBOARD_OPERATORS: operators } = env;
  if ((id === '') !== (secret === '')) return 'DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET must be set together';
  if (id === '' && operators.length > 0)
    return 'DASHBOARD_OPERATORS has no effect without DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET: set both, or remove it';
  return undefined;
}

/** Returns the settings of the sign-in with Discord; null = nobody can sign in with Discord. */
export function discordConfig(env: z.infer<typeof variables>): DiscordConfig | null {
  if (env.DISCORD_CLIENT_ID === '') return null;
  return {
    clientId: env.DISCORD_CLIENT_ID,
    clientSecret: env.DISCORD_CLIENT_SECRET,
    url: env.DISCORD_URL || 'https://discord.com',
    operators: env.DASHBOARD_OPERATORS,
  };
}

/** Returns whether an address is an origin of https, or of http on this machine. */
function isAllowed(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)));
}

/** Returns whether a host is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
