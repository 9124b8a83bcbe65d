import { closestMatch } from 'leven';
import { dashboardSettings } from './dashboard.ts';
import { serviceSettings } from './service.ts';

/** Finds names in a file of settings that are probably mistakes. The bot can have the same file, so most unknown names are not mistakes. */

/** The settings that only docker-compose.yml reads. */
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

/** Names that other programs have for a setting. */
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

/** The beginnings of names that only Guildrank has. */
const FAMILY = /^(REDIS|CACHE|SHUTDOWN|DASHBOARD|GUILDRANK)_/;

/**
 * Returns a sentence about the names that are probably misspelt, each with the setting that may be meant; undefined if no name is probably misspelt.
 */
export function misspeltNames(names: readonly string[]): string | undefined {
  const told = names.flatMap((name) => {
    if (KNOWN.includes(name)) return [];
    const meant = meantBy(name.toUpperCase());
    if (meant !== undefined) return [`${name} (${meant}?)`];
    return FAMILY.test(name.toUpperCase()) ? [name] : [];
  });
  if (told.length === 0) return undefined;
  return `.env has names that Guildrank does not read: ${told.join(', ')}. Correct each name, or ignore this if another program reads it`;
}

/** Returns the setting that a name in capital letters is close to; undefined for a name that resembles no setting. */
function meantBy(capital: string): string | undefined {
  // A short name is two letters away from the names of many programs, such as PGHOST from HOST.
  const maxDistance = capital.length < 8 ? 1 : 2;
  const name = capital.replace(/^GUILDRANK_/, '');
  const near = closestMatch(name, [...SETTINGS, ...OTHER_NAMES.keys()], { maxDistance });
  if (near !== undefined) return OTHER_NAMES.get(near) ?? near;
  if (!FAMILY.test(name)) return undefined;
  // One name can have all words of the other, such as REDIS_TLS_URL and REDIS_URL.
  const words = name.split('_');
  const alike = SETTINGS.filter((setting) => {
    const own = setting.split('_');
    return own.length > 1 && (own.every((word) => words.includes(word)) || words.every((word) => own.includes(word)));
  });
  return closestMatch(name, alike);
}
