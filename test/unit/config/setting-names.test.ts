import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMPOSE_SETTINGS, misspeltNames } from '../../../src/config/setting-names.ts';
import { repository } from '../../support/run-command.ts';

const example = readFileSync(join(repository, '.env.example'), 'utf8');
const namesIn = (text = '') => [...text.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);

describe('misspeltNames', () => {
  it.each([
    ['REDIS_URI', 'REDIS_URL'],
    ['REDIS_ULR', 'REDIS_URL'],
    ['redis_url', 'REDIS_URL'],
    ['REDIS_HOST', 'REDIS_URL'],
    ['REDIS_PASSWORD', 'REDIS_URL'],
    ['REDIS_TLS_CA_FILE', 'REDIS_TLS_CA'],
    ['GUILDRANK_PORT', 'PORT'],
    ['API_PORT', 'PORT'],
    ['PORTS', 'PORT'],
    ['WORKER', 'WORKERS'],
    ['RATE_LIMT', 'PLAN_QUOTAS'],
    ['PLAN_QUOTA', 'PLAN_QUOTAS'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['DASHBOARD_OPERATOR', 'DASHBOARD_OPERATORS'],
    ['DASHBOARD_MEMBERS', 'DASHBOARD_MAX_MEMBERS'],
    ['REDIS_TLS_URL', 'REDIS_URL'],
    ['REDIS_PRIVATE_URL', 'REDIS_URL'],
    ['GUILDRANK_REDIS_URL', 'REDIS_URL'],
  ])('%s is taken for a misspelt %s', (name, meant) => {
    expect(misspeltNames(['LOG_LEVEL', name, 'NODE_ENV'])).toBe(
      `.env has names that Guildrank does not read: ${name} (${meant}?). Correct each name, or ignore this if another program reads it`,
    );
  });

  it('one sentence names all misspelt settings', () => {
    expect(misspeltNames(['REDIS_URI', 'API_PORT'])).toContain('read: REDIS_URI (REDIS_URL?), API_PORT (PORT?). ');
  });

  it.each(['REDIS_ADMIN_PASSWORD', 'REDIS_BOT_PASSWORD', 'CACHE_TTL'])(
    '%s, which begins like a setting, is named without a guess',
    (name) => {
      expect(misspeltNames([name])).toContain(`read: ${name}. Correct`);
    },
  );

  it('no setting of the service and no variable of Docker Compose is taken for a mistake', () => {
    expect(namesIn(example).length).toBeGreaterThan(50);
    expect(misspeltNames(namesIn(example))).toBeUndefined();
    expect(namesIn(example.split('# --- Docker Compose alone ---')[1])).toEqual(COMPOSE_SETTINGS);
  });

  it('no variable of another program is taken for a mistake', () => {
    const others = [
      'PATH',
      'HOME',
      'USER',
      'TZ',
      'LANG',
      'NODE_ENV',
      'NODE_OPTIONS',
      'COMPOSE_PROJECT_NAME',
      'HTTPS_PROXY',
    ];
    const ofBots = [
      'DISCORD_TOKEN',
      'DISCORD_GUILD_ID',
      'BOT_TOKEN',
      'TOKEN',
      'CLIENT_ID',
      'PUBLIC_KEY',
      'DATABASE_URL',
      'PREFIX',
      'OWNER_ID',
      'PGHOST',
      'PGPORT',
      'DBHOST',
    ];
    const ofTracing = [
      'OTEL_SERVICE_NAME',
      'OTEL_RESOURCE_ATTRIBUTES',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_LOGS_EXPORTER',
    ];
    expect(misspeltNames([...others, ...ofBots, ...ofTracing])).toBeUndefined();
  });
});
