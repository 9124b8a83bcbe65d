import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { findOnPath, freePort } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { mockStore } from '../support/stores.ts';
import { serviceSuite } from '../support/suite.ts';
import { type Query, queryOf, type Scrape, scrapeOf } from './scrape.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}

const dashboard = JSON.parse(read('deploy/grafana/guildrank.json')) as {
  panels: Panel[];
  templating: { list: { name: string; definition?: string }[] };
};
const rules = (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

/** The queries of the dashboard as Grafana sends them to Prometheus. */
const panelQueries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({
    of: `panel "${title}"`,
    expr: expr.replaceAll('$__rate_interval', '5m').replace(/\$(job|instance)\b/g, '.*'),
  })),
);
const alertQueries = rules.map(({ alert, expr }) => ({ of: `alert ${alert}`, expr }));

const adminPort = await freePort();

describe('the monitoring in deploy/', () => {
  const suite = serviceSuite(mockStore, { ADMIN_PORT: String(adminPort), PLAN_QUOTAS: 'free=2' });
  let scrape: Scrape;

  beforeAll(async () => {
    await suite.testStore.empty();
    const { key } = await suite.service.store.apiKeys.create('guild', 'test', null);
    // Allowed, cached, and over the quota: this fills every series that needs no fault.
    for (const path of ['/servers/guild/stats', '/servers/guild/stats', '/servers/guild/stats']) {
      await suite.get(path, key);
    }
    scrape = scrapeOf(await (await fetch(`${suite.service.adminUrl}/metrics`)).text());
  });

  it.each([...panelQueries, ...alertQueries])(
    'the query of $of uses only metrics that a running service has',
    ({ expr }) => {
      const query: Query = queryOf(expr);
      expect(query.metrics.length).toBeGreaterThan(0);
      for (const { name, labels } of query.metrics) {
        if (name === 'up') continue; // Prometheus's own.
        expect(scrape.names, name).toContain(name);
        const present = scrape.labels.get(name);
        // A metric that only a fault fills has no samples here, and so no labels.
        if (present) expect(['job', 'instance', ...present], name).toEqual(expect.arrayContaining(labels));
      }
    },
  );

  it('the Grafana dashboard fills its variables from a metric that the service has', () => {
    const asked = dashboard.templating.list.flatMap(({ definition = '' }) =>
      [...definition.matchAll(/^label_values\((\w+)/g)].map(([, name]) => name),
    );
    expect(asked.length).toBe(2);
    for (const name of asked) expect(scrape.names).toContain(name);
  });

  it('docs/reference.md explains every metric, and docs/operations.md every alert', () => {
    const reference = read('docs/reference.md');
    const lag = /^nodejs_eventloop_lag_(min|max|mean|stddev|p\d\d)_seconds$/;
    for (const name of scrape.families) {
      const total = name.replace(/^(nodejs_active_\w+)_total$/, '$1');
      const printed = lag.test(name) ? `\`_${lag.exec(name)?.[1]}\`` : `\`${total}\``;
      expect(reference, name).toContain(printed);
    }
    const runbook = [
      ...read('docs/operations.md').matchAll(/^### (Guildrank\w+)\n\n(.+)\n\n((?:\d\. .+\n(?: {3}.+\n)*)+)/gm),
    ];
    expect(runbook.map(([, name]) => name).sort()).toEqual(rules.map(({ alert }) => alert).sort());
    for (const [, name, when = '', steps = ''] of runbook) {
      expect(when.length, name).toBeGreaterThan(20);
      expect(steps.split('\n').length, name).toBeGreaterThan(2);
    }
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    }
  });

  it('the Grafana dashboard shows every metric of the service itself', () => {
    const shown = new Set(panelQueries.flatMap(({ expr }) => queryOf(expr).metrics.map(({ name }) => name)));
    const own = scrape.families.filter((name) => /^(guildrank|http)_/.test(name));
    expect(own.length).toBeGreaterThan(6);
    for (const name of own) {
      const asked = [name, `${name}_bucket`, `${name}_count`].some((each) => shown.has(each));
      expect(asked, name).toBe(true);
    }
  });
});

describe('deploy/grafana/guildrank.json', () => {
  it('the Grafana dashboard has panels with unique ids, and no panel covers another', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });
});

const promtool = findOnPath(['promtool']);

describe('promtool', needs('promtool'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-promtool-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]) =>
    runProgram(promtool as string, args, { cwd: join(repository, 'deploy/prometheus') });

  it('promtool accepts the example configuration with its alert rules', async () => {
    const { code, stdout, stderr } = await run('check', 'config', 'prometheus.yml');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`${rules.length} rules found`);
  });

  it('promtool sees every alert fire on its condition, and no alert fire without it', async () => {
    const { code, stdout, stderr } = await run('test', 'rules', 'alerts.test.yml');
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
    const cases = parse(read('deploy/prometheus/alerts.test.yml')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
    };
    const fired = cases.tests.flatMap(({ alert_rule_test }) =>
      alert_rule_test.filter(({ exp_alerts }) => exp_alerts?.length).map(({ alertname }) => alertname),
    );
    expect([...new Set(fired)].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it('promtool parses every query of the Grafana dashboard', async () => {
    const file = join(folder, 'dashboard.yml');
    const recorded = panelQueries.map(({ expr }, index) => ({ record: `panel:${index}`, expr }));
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    const { code, stdout, stderr } = await run('check', 'rules', file);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  });
});
