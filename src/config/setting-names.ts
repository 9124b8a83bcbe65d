import { closestMatch } from 'leven';
import { dashboardSettings } from './dashboard.ts';
import { serviceSettings } from './service.ts';

/** Finds names in a file of settings that are probably mistakes. Such a file can be that of the bot too, so most unknown names are none. */

/** What docker-compose.yml alone reads. */
export const COMPOSE_SETTINGS: readonly string[] = [
  'REDIS_SERVICE_PASSWORD',
  'REDIS_OPERATOR_PASSWORD',
  'REDIS_DASHBOARD_PASSWORD',
  'REDIS_PORT',
  'BOT_REDIS_URL',
  'BOT_REDIS_OPERATOR_URL',
];

const SETTINGS: readonly string[] = [...serviceSettings, ...dashboardSettings];
const KNOWN: readonly string[] = [...SETTINGS, ...COMPOSE_SETTINGS];

/** What other programs call a setting. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['REDIS_HOST', 'REDIS_URL'],
  ['REDIS_PASSWORD', 'REDIS_URL'],
  ['REDIS_USERNAME', 'REDIS_URL'],
  ['REDIS_USER', 'REDIS_URL'],
  ['REDIS_DB', 'REDIS_URL'],
  ['REDIS_DATABASE', 'REDIS_URL'],
  ['REDIS_PREFIX', 'KEY_PREFIX'],
  ['REDIS_KEY_PREFIX', 'KEY_PREFIX'],
  ['API_HOST', 'HOST'],
  ['API_PORT', 'PORT'],
  ['HTTP_PORT', 'PORT'],
  ['SERVER_PORT', 'PORT'],
  ['METRICS_PORT', 'ADMIN_PORT'],
  ['HEALTH_PORT', 'ADMIN_PORT'],
  ['RATE_LIMIT', 'PLAN_QUOTAS'],
  ['RATE_LIMITS', 'PLAN_QUOTAS'],
  ['ALLOWED_ORIGINS', 'CORS_ORIGINS'],
]);

/** What names of Guildrank alone begin with. */
const FAMILY = /^(REDIS|CACHE|SHUTDOWN|DASHBOARD|GUILDRANK)_/;

/** Returns a sentence about the names that are probably misspelt, each with the setting that may be meant; undefined if there is none. */
export function misspeltNames(names: readonly string[]): string | undefined {
  const told = names.flatMap((name) => {
    const meant = meantBy(name);
    return meant === undefined ? [] : [`${name} (${meant}?)`];
  });
  if (told.length === 0) return undefined;
  return `.env has names that Guildrank does not read: ${told.join(', ')}. Correct each name, or ignore this if another program reads it`;
}

/** Returns the setting that a name is close to; undefined for a setting, and for a name that is like none. */
function meantBy(name: string): string | undefined {
  if (KNOWN.includes(name)) return undefined;
  const capital = name.toUpperCase();
  // A short name is one letter away from many words.
  const maxDistance = name.length < 6 ? 1 : 2;
  const near = closestMatch(capital, [...SETTINGS, ...OTHER_NAMES.keys()], { maxDistance });
  if (near !== undefined) return OTHER_NAMES.get(near) ?? near;
  return FAMILY.test(capital) ? closestMatch(capital.replace(/^GUILDRANK_/, ''), SETTINGS) : undefined;
}
