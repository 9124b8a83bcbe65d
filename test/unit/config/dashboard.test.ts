import { describe, expect, it } from 'vitest';
import { parseDashboardConfig } from '../../../src/config/dashboard.ts';

describe('parseDashboardConfig', () => {
  it.each([
    [{ DASHBOARD_PORT: '9464', DASHBOARD_HEALTH_PORT: '9464' }],
    [{ DASHBOARD_HEALTH_PORT: '8090', DASHBOARD_HOST: '0.0.0.0' }],
    [{ DASHBOARD_HEALTH_PORT: '8090', DASHBOARD_HOST: '10.0.0.1', ADMIN_HOST: '0.0.0.0' }],
  ])('refuses one port for the dashboard and its health: %j', (env) => {
    expect(() => parseDashboardConfig(env as Record<string, string>)).toThrow(
      /^Invalid configuration:\n {2}DASHBOARD_HEALTH_PORT is \d+, the same as DASHBOARD_PORT: choose another port, or 0 for no health listener$/,
    );
  });

  it.each([
    [{ DASHBOARD_PORT: '0', DASHBOARD_HEALTH_PORT: '0' }],
    [{ DASHBOARD_HEALTH_PORT: '8090', DASHBOARD_HOST: '10.0.0.1' }],
    [{ DASHBOARD_HEALTH_PORT: '9464', ADMIN_PORT: '9464' }],
  ])('takes ports that do not clash: %j', (env) => {
    expect(() => parseDashboardConfig(env as Record<string, string>)).not.toThrow();
  });
});
