import * as z from 'zod';
import { ConfigError } from '../core/errors.ts';
import { discordConfig, discordProblem, discordVariables, isLoopback } from './discord.ts';
import { haveCommonAddress, parseConfig } from './service.ts';
import { addressSetting, hostSetting, integer, parseVariables } from './values.ts';

/** The settings of the dashboard: the service's settings for Redis, plans and logs, and its own settings. */
export type DashboardConfig = Readonly<ReturnType<typeof parseDashboardConfig>>;

const URL_FORMAT =
  'must be an address such as https://dashboard.example.com, without a path; http:// is allowed for this machine only, as in http://127.0.0.1:8090';

const origin = (format: string) => addressSetting.refine((text) => text === '' || isOrigin(text), format);

/** Parses an address that a person opens: over http only on this machine, because the session is in a cookie. */
const dashboardUrl = origin(URL_FORMAT).refine(
  (text) => !text.startsWith('http:') || isLoopback(new URL(text).hostname),
  URL_FORMAT,
);

/** Longest address of a page of the operator. */
const MAX_LINK = 500;
const LINK_FORMAT = `must be an address such as https://example.com/privacy, of ${MAX_LINK} characters at most`;

/** Parses the address of a page of the operator, to which the dashboard leads. */
const link = z
  .string()
  .default('')
  .refine((text) => text === '' || isPage(text), LINK_FORMAT);

/** Addresses of pages of the operator; "" = there is no such page. */
export interface OperatorLinks {
  /** Where people get help. */
  readonly help: string;
  /** The page about privacy. */
  readonly privacy: string;
}

const schema = z.object({
  DASHBOARD_HOST: hostSetting('127.0.0.1'),
  DASHBOARD_PORT: integer(0, 65_535, 8090),
  DASHBOARD_HEALTH_PORT: integer(0, 65_535, 0),
  DASHBOARD_URL: dashboardUrl,
  DASHBOARD_API_URL: origin('must be an address such as https://ranks.example.com, without a path'),
  DASHBOARD_HELP_URL: link,
  DASHBOARD_PRIVACY_URL: link,
  DASHBOARD_MAX_MEMBERS: integer(1, 100_000_000, 1_000_000),
  ...discordVariables,
});

/** The names of the variables that the dashboard alone reads. */
export const dashboardSettings: readonly string[] = Object.keys(schema.shape);

/** Parses the settings from environment variables. @throws ConfigError with every wrong variable. */
export function parseDashboardConfig(env: Readonly<Record<string, string | undefined>>) {
  const problems: string[] = [];
  const own = parsed(() => parseVariables(schema, env), problems);
  const config = parsed(() => parseConfig(env), problems);
  const problem = own && discordProblem(own);
  if (problem) problems.push(problem);
  if (!own || !config || problem) throw new ConfigError(problems);
  const { DASHBOARD_HOST, DASHBOARD_PORT, DASHBOARD_HEALTH_PORT, DASHBOARD_URL, DASHBOARD_API_URL } = own;
  const isOnePort = DASHBOARD_PORT !== 0 && DASHBOARD_PORT === DASHBOARD_HEALTH_PORT;
  if (isOnePort && haveCommonAddress(DASHBOARD_HOST, config.adminHost)) {
    const clash = `DASHBOARD_HEALTH_PORT is ${DASHBOARD_PORT}, the same as DASHBOARD_PORT`;
    throw new ConfigError([`${clash}: choose another port, or 0 for no health listener`]);
  }
  return {
    ...config,
    dashboardHost: DASHBOARD_HOST,
    /** 0 picks a free port. */
    dashboardPort: DASHBOARD_PORT,
    /** Public address of the dashboard without a slash at the end; "" = the address it listens on. */
    dashboardUrl: DASHBOARD_URL || (DASHBOARD_PORT > 0 ? `http://127.0.0.1:${DASHBOARD_PORT}` : ''),
    /** Port of the dashboard's health, on the address of ADMIN_HOST; 0 = no such port. */
    dashboardHealthPort: DASHBOARD_HEALTH_PORT,
    /** Members that a file may have, and a guild before members are added to it. */
    dashboardMaxMembers: own.DASHBOARD_MAX_MEMBERS,
    /** Public address of the API without a slash at the end, for examples and the preview of the widget. */
    apiUrl: DASHBOARD_API_URL || `http://127.0.0.1:${config.port}`,
    links: { help: own.DASHBOARD_HELP_URL, privacy: own.DASHBOARD_PRIVACY_URL } satisfies OperatorLinks,
    discord: discordConfig(own),
  };
}

/** Returns the parsed settings, or adds what is wrong with them to the problems. */
function parsed<T>(parse: () => T, problems: string[]): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

function isPage(text: string): boolean {
  if (text.length > MAX_LINK || !/^https:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);
}
