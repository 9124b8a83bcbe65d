import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openCore } from '../../src/core/core.ts';
import { type KeyValue, resourceSpansOf, type Span } from '../../tools/otlp.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, startServiceProcess } from '../support/process.ts';
import { redisForTest } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

const toObject = (attributes: readonly KeyValue[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Starts a receiver of OTLP over HTTP. @returns its address, and what it was sent. */
async function startReceiver() {
  const spans: Span[] = [];
  const resources: Record<string, unknown>[] = [];
  const bodies: Buffer[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const body = req.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    if (req.url === '/v1/traces' && req.headers['content-type'] === 'application/x-protobuf') {
      bodies.push(body);
      for (const { resource, scopeSpans } of resourceSpansOf(body)) {
        resources.push(toObject(resource.attributes));
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
    }
    res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true), PATIENT);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, spans, resources, bodies };
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

it(
  'the service sends a span of each request as protobuf, in the trace of a trusted proxy',
  needs('redis-server'),
  async () => {
    const { url: redisUrl, client } = await redisForTest();
    const { key } = await openCore(client, 'gr').apiKeys.create('guild', 'test', null);
    const receiver = await startReceiver();
    const service = await startServiceProcess({
      ...LONG_REDIS_TIMEOUT,
      REDIS_URL: redisUrl,
      TRUST_PROXY: 'loopback',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    });
    onTestFinished(service.stop);
    const get = (path: string, headers: Record<string, string>) => fetch(`${service.url}/api/v1${path}`, { headers });
    const before = Date.now();
    const traced = { 'x-api-key': key, traceparent: `00-${TRACE}-${PARENT}-01`, 'x-request-id': 'edge-1' };
    expect((await get('/servers/guild/stats', traced)).status).toBe(200);
    expect((await get('/servers/guild/stats', { ...traced, traceparent: `00-${TRACE}-${PARENT}-00` })).status).toBe(
      200,
    );
    expect((await get('/servers/guild/members/secret-member', { 'x-api-key': key })).status).toBe(404);
    await client.set('gr:{guild}:xp', 'text');
    expect((await get('/servers/guild/leaderboard', { 'x-api-key': key })).status).toBe(503);
    const line = await service.line(({ trace_id }) => trace_id !== undefined);
    expect(line).toMatchObject({ trace_id: TRACE, request_id: 'edge-1' });
    const own = await service.line(({ status }) => status === 404);

    // A stop sends what is left, long before its turn.
    service.kill();
    expect(await service.ended).toMatchObject({ code: 0 });
    const { spans, resources, bodies } = receiver;
    expect(resources[0]).toMatchObject({
      'service.name': 'guildrank',
      'service.version': expect.stringMatching(/^\d/),
      'deployment.environment.name': 'test',
    });
    const stats = spans.find(({ name }) => name === 'GET /servers/:guild_id/stats') as Span;
    expect(stats.traceId.toString('hex')).toBe(TRACE);
    expect(stats.parentSpanId?.toString('hex')).toBe(PARENT);
    expect(stats.kind).toBe(2);
    expect(toObject(stats.attributes)).toEqual({
      'http.request.method': 'GET',
      'http.route': '/servers/:guild_id/stats',
      'http.response.status_code': 200,
      'guildrank.request_id': 'edge-1',
      'guildrank.guild': 'guild',
      'guildrank.plan': 'free',
    });
    const from = stats.startTimeUnixNano / 1e6;
    const to = stats.endTimeUnixNano / 1e6;
    expect(from).toBeLessThanOrEqual(to);
    // Both clocks are rounded.
    expect(from).toBeGreaterThan(before - 5);
    expect(to).toBeLessThan(Date.now() + 5);
    // The proxy did not sample its second request.
    expect(spans.filter(({ name }) => name === stats.name)).toHaveLength(1);

    const missing = spans.find(({ name }) => name.includes('/members/')) as Span;
    expect(missing.parentSpanId ?? Buffer.alloc(0)).toHaveLength(0);
    expect(own.trace_id).toBe(missing.traceId.toString('hex'));
    expect(toObject(missing.attributes)).toMatchObject({ 'error.type': 'member_not_found' });
    expect(missing.status?.code ?? 0).toBe(0);
    expect(spans.find(({ name }) => name.endsWith('/leaderboard'))?.status?.code).toBe(2);
    const sent = Buffer.concat(bodies).toString('latin1');
    for (const secret of [key, 'secret-member', '127.0.0.1']) expect(sent).not.toContain(secret);
  },
);

it(
  'the service samples as the environment says, and logs the trace of sampled requests alone',
  needs('redis-server'),
  async () => {
    const { url: redisUrl } = await redisForTest();
    const receiver = await startReceiver();
    const service = await startServiceProcess({
      ...LONG_REDIS_TIMEOUT,
      REDIS_URL: redisUrl,
      LOG_REQUESTS: 'errors',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.3',
    });
    onTestFinished(service.stop);
    const requests = 300;
    for (let sent = 0; sent < requests; sent++) await fetch(`${service.url}/api/v1/servers/guild/stats`);
    service.kill();
    expect(await service.ended).toMatchObject({ code: 0 });
    const traces = receiver.spans.map(({ traceId }) => traceId.toString('hex'));
    // Six standard deviations around 90.
    expect(traces.length).toBeGreaterThan(42);
    expect(traces.length).toBeLessThan(138);
    const lines = service.lines().filter(({ msg }) => msg === 'request');
    expect(lines).toHaveLength(requests);
    expect(new Set(lines.flatMap(({ trace_id }) => trace_id ?? []))).toEqual(new Set(traces));
  },
);

/** Code that a process runs first: at its end it logs how many files of the SDK it has loaded. */
const COUNT_SDK = `data:text/javascript,import { createRequire } from 'node:module';
const { cache } = createRequire(process.cwd() + '/');
process.on('exit', () => console.log(JSON.stringify({
  sdk: Object.keys(cache).filter((file) => /@opentelemetry.(sdk|exporter|otlp)/.test(file)).length,
})));`.replace(/\n/g, '');

it('the service sends spans to the address that is for traces alone', needs('redis-server'), async () => {
  const { url: redisUrl } = await redisForTest();
  const receiver = await startReceiver();
  const service = await startServiceProcess({
    ...LONG_REDIS_TIMEOUT,
    REDIS_URL: redisUrl,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
  });
  onTestFinished(service.stop);
  expect((await fetch(`${service.url}/api/v1/servers/guild/stats`)).status).toBe(401);
  service.kill();
  expect(await service.ended).toMatchObject({ code: 0 });
  expect(receiver.spans).toHaveLength(1);
});

it('the service loads no SDK without a collector', needs('redis-server'), async () => {
  const { url: redisUrl } = await redisForTest();
  const service = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, REDIS_URL: redisUrl }, ['--import', COUNT_SDK]);
  onTestFinished(service.stop);
  service.kill();
  expect((await service.line(({ sdk }) => sdk !== undefined)).sdk).toBe(0);
});

it(
  'the service serves on while the collector is away, warns once, and stops in time',
  needs('redis-server'),
  async () => {
    const { url: redisUrl } = await redisForTest();
    const env = {
      ...LONG_REDIS_TIMEOUT,
      REDIS_URL: redisUrl,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
    const service = await startServiceProcess(env, ['--import', COUNT_SDK]);
    onTestFinished(service.stop);
    const get = async () => (await fetch(`${service.url}/api/v1/servers/guild/stats`)).status;
    const isWarning = ({ msg }: Record<string, unknown>) => msg === 'spans were not delivered';
    expect(await get()).toBe(401);
    await service.line(isWarning);
    expect(await get()).toBe(401);
    service.kill();
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(service.lines().filter(isWarning)).toHaveLength(1);
    expect((await service.line(({ sdk }) => sdk !== undefined)).sdk).toBeGreaterThan(10);
  },
);
