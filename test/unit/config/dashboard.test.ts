import { describe, expect, it } from 'vitest';
import { parseDashboardConfig } from '../../../src/config/dashboard.ts';

describe('parseDashboardConfig', () => {
  it.each([
    [{ DASHBOARD_PORT: '9464', DASHBOARD_HEALTH_PORT: '9464' }],
    [{ DASHBOARD_HEALTH_PORT: '8090', DASHBOARD_HOST: '0.0.0.0' }],
    [{ DASHBOARD_HEALTH_PORT: '8090', DASHBOARD_HOST: '10.0.0.1', ADMIN_HOST: '0.0.0.0' }],
  ])('the dashboard refuses one port for itself and its health: %j', (env) => {
    expect(() => parseDashboardConfig(env as Record<string, string>)).toThrow(
      /^Invalid configuration:\n {2}DASHBOARD_HEALTH_PORT is \d+, the same as DASHBOARD_PORT: choose another port, or 0 for no health listener$/,
    );
  });

  it.each([
    [{ DASHBOARD_PORT: '0', DASHBOARD_HEALTH_PORT: '0' }],
    [{ DASHBOARD_HEALTH_PORT: '8090', DASHBOARD_HOST: '10.0.0.1' }],
    [{ DASHBOARD_HEALTH_PORT: '9464', ADMIN_PORT: '9464' }],
  ])('the dashboard takes ports that do not clash: %j', (env) => {
    expect(() => parseDashboardConfig(env as Record<string, string>)).not.toThrow();
  });

  it('the dashboard takes addresses of pages for help and for privacy, and has none by default', () => {
    expect(parseDashboardConfig({}).links).toEqual({ help: '', privacy: '' });
    const env = {
      DASHBOARD_HELP_URL: 'https://discord.gg/abc',
      DASHBOARD_PRIVACY_URL: 'https://example.com/privacy#data',
    };
    expect(parseDashboardConfig(env).links).toEqual({
      help: 'https://discord.gg/abc',
      privacy: 'https://example.com/privacy#data',
    });
  });

  it.each([
    'http://example.com',
    'javascript:alert(1)',
    'example.com/help',
    'https://',
    'https://ann:secret@example.com/',
    'https://example.com/a b',
    `https://example.com/${'x'.repeat(500)}`,
  ])('the dashboard refuses %s as the address of a page, and says what the address has to be', (text) => {
    expect(() => parseDashboardConfig({ DASHBOARD_HELP_URL: text, DASHBOARD_PRIVACY_URL: text })).toThrow(
      /DASHBOARD_HELP_URL must be an address such as https:.*\n.*DASHBOARD_PRIVACY_URL must be an address/s,
    );
  });

  const DISCORD = { DISCORD_CLIENT_ID: '1234567890', DISCORD_CLIENT_SECRET: 'secret' };

  it('the dashboard has no sign-in with Discord unless its variables are set, and asks discord.com then', () => {
    expect(parseDashboardConfig({}).discord).toBeNull();
    expect(parseDashboardConfig({ ...DISCORD, DASHBOARD_OPERATORS: ' 1, 22 ,' }).discord).toEqual({
      clientId: '1234567890',
      clientSecret: 'secret',
      url: 'https://discord.com',
      operators: ['1', '22'],
    });
    const local = { ...DISCORD, DISCORD_URL: 'http://127.0.0.1:9000/' };
    expect(parseDashboardConfig(local).discord?.url).toBe('http://127.0.0.1:9000');
  });

  it.each([
    [{ DISCORD_CLIENT_ID: '1' }, 'DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET must be set together'],
    [{ DISCORD_CLIENT_SECRET: 'x' }, 'DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET must be set together'],
    [
      { DASHBOARD_OPERATORS: '1' },
      'DASHBOARD_OPERATORS has no effect without DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET: set both, or remove it',
    ],
    [
      { ...DISCORD, DISCORD_CLIENT_ID: 'my app' },
      'DISCORD_CLIENT_ID must be the number that Discord shows as Client ID',
    ],
    [
      { ...DISCORD, DISCORD_CLIENT_SECRET: 'a b' },
      'DISCORD_CLIENT_SECRET must be the Client Secret as Discord shows it, without spaces',
    ],
    [{ ...DISCORD, DISCORD_URL: 'http://discord.com' }, 'DISCORD_URL must be an address such as https://discord.com'],
    [
      { ...DISCORD, DISCORD_URL: 'https://discord.com/api' },
      'DISCORD_URL must be an address such as https://discord.com',
    ],
    [{ ...DISCORD, DISCORD_URL: 'discord.com' }, 'DISCORD_URL must be an address such as https://discord.com'],
    [{ ...DISCORD, DASHBOARD_OPERATORS: 'ann#1234' }, 'DASHBOARD_OPERATORS must list user ids of Discord'],
    [
      { ...DISCORD, DASHBOARD_OPERATORS: Array(101).fill('1').join() },
      'DASHBOARD_OPERATORS must list 100 people at most',
    ],
  ])('the dashboard refuses %j, and names the variable and the fix', (env, message) => {
    expect(() => parseDashboardConfig(env as Record<string, string>)).toThrow(message);
  });

  it('the dashboard names a wrong variable of Discord beside the others, and repeats no secret', () => {
    const env = { ...DISCORD, DISCORD_CLIENT_SECRET: 'top secret', DASHBOARD_PORT: 'x' };
    expect(() => parseDashboardConfig(env)).toThrow(/DASHBOARD_PORT .*\n.*DISCORD_CLIENT_SECRET (?!.*top secret)/s);
  });
});
