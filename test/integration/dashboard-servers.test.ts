import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTestDashboard, type TestDashboard, type Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

describe('the list of all servers', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let operator: Visitor;
  beforeAll(async () => {
    dashboard = await startTestDashboard();
  });
  afterAll(() => dashboard?.close());
  beforeEach(async () => {
    const { client, writer, guildConfig, apiKeys } = dashboard.store;
    await client.flushall();
    const sizes = { '101': 3, '102': 1, '103': 2 };
    for (const [id, size] of Object.entries(sizes)) {
      const members = Array.from({ length: size }, (_, n) => ({ userId: `m${n}`, set: 5 }));
      await writer.recordMany(id, members);
    }
    await writer.describeGuild('101', { name: 'The Den', roles: [], channels: [] });
    await guildConfig.update('102', { pageTitle: 'Badgers of the den' });
    const { record } = await apiKeys.create('103', 'site', null);
    const hour = Math.floor(Date.now() / 3_600_000);
    await client.hset('gr:{103}:usage', `${hour}:${record.id}:refused`, '7');
    await client.set('gr:quota:{103}', '40', 'EX', 600);
    await client.set('gr:quota:{102}', '50', 'EX', 600);
    operator = await dashboard.signIn(null);
    // The list is kept for half a minute.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    onTestFinished(() => clock.mockRestore());
  });

  /** Returns the ids of the servers in their order. */
  const listed = async (query = '') => {
    const { text } = await operator.get(`/operator${query}`);
    return [...text.matchAll(/<a href="\/guilds\/(\w+)"><bdi>/g)].map(([, id]) => id);
  };

  it('the list shows names before ids, and finds servers by a part of either', async () => {
    const { text } = await operator.get('/operator');
    expect(text).toContain('<bdi>The Den</bdi></a><span class="small">101 · free</span>');
    expect(text).toContain('<bdi>Badgers of the den</bdi>');
    expect(await listed('?search=DEN')).toEqual(['102', '101']);
    expect(await listed('?search=103')).toEqual(['103']);
    expect((await operator.get('/operator?search=xyz')).text).toContain('No server has the id <bdi>xyz</bdi> yet.');
    expect((await operator.get('/operator?search=two+words')).text).toContain('No server has this in its name or id.');
  });

  it('the list finds a server that it does not have by the whole id, and by nothing less', async () => {
    expect(await listed()).toHaveLength(3);
    await dashboard.store.writer.record('999', { userId: 'm', set: 5 });
    expect(await listed('?search=99')).toEqual([]);
    expect(await listed('?search=999')).toEqual(['999']);
    expect((await operator.get('/operator?search=999')).text).toContain('data-label="Members with XP">1<');
  });

  it('the list sorts by name, members, requests and refused requests', async () => {
    expect(await listed()).toEqual(['103', '102', '101']);
    expect(await listed('?sort=members')).toEqual(['101', '103', '102']);
    expect(await listed('?sort=requests')).toEqual(['102', '103', '101']);
    expect((await listed('?sort=refused'))[0]).toBe('103');
    expect(await listed('?sort=constructor')).toEqual(await listed());
  });

  it('a page names its server in the navigation and in the tab, for the owner too', async () => {
    const owner = await dashboard.signIn('101');
    const { text } = await owner.get('/guilds/101/members');
    expect(text).toContain('<title>Members · The Den · Guildrank</title>');
    expect(text).toMatch(
      /aria-hidden="true">TD<\/span>.*<bdi>The Den<\/bdi><\/b><span class="small">3 members with XP/s,
    );
    expect(text).toMatch(/<a href="\/guilds\/101\/members" aria-current="page">/);
    expect((await owner.get('/guilds/101/settings/rules/rewards')).text).toContain(
      '<a href="/guilds/101/settings/rules" aria-current="page">',
    );
  });

  it('the dashboard asks before an owner or the operator is signed out everywhere', async () => {
    const owner = await dashboard.signIn('101');
    for (const [visitor, home] of [
      [owner, '/guilds/101'],
      [operator, '/operator'],
    ] as const) {
      const { status, text } = await visitor.get('/sign-out-everywhere');
      expect([status, text.includes('Sign out everywhere?')]).toEqual([200, true]);
      expect((await visitor.get(home)).status).toBe(200);
      expect((await visitor.get(home)).text).not.toContain('action="/sign-out-everywhere"');
      expect((await visitor.submit('/sign-out-everywhere', '/sign-out-everywhere', {})).status).toBe(303);
      expect((await visitor.get(home)).status).toBe(401);
    }
  });
});
