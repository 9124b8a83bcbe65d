import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseDashboardConfig } from '../../src/config/dashboard.ts';
import { parseConfig } from '../../src/config/service.ts';
import { errorsOf, type Manifest, render } from '../../tools/kubernetes.ts';
import { needs } from '../support/needs.ts';
import { repository } from '../support/run-command.ts';

const folder = join(repository, 'deploy/kubernetes');

describe.each([
  ['sidecar', 'StatefulSet', []],
  ['replicas', 'Deployment', ['HorizontalPodAutoscaler', 'PodDisruptionBudget', 'PodMonitor']],
] as const)('deploy/kubernetes/overlays/%s', needs('kubectl'), (overlay, kind, further) => {
  let manifests: Manifest[];
  let pod: Manifest;
  beforeAll(async () => {
    manifests = await render(join(folder, 'overlays', overlay));
    [pod] = ofKind(kind).map(({ spec }) => spec.template);
  });
  const ofKind = (wanted: string) => manifests.filter((manifest) => manifest.kind === wanted);
  const service = () => pod.spec.containers.find(({ name }: Manifest) => name === 'guildrank');

  it(`the overlay ${overlay} renders to manifests that Kubernetes knows, and has each of its parts`, async () => {
    expect(await errorsOf(manifests)).toEqual([]);
    const kinds = ['ConfigMap', kind, 'NetworkPolicy', 'Service', ...further];
    expect([...new Set(manifests.map((manifest) => manifest.kind))].sort()).toEqual(kinds.sort());
  });

  it(`the check of manifests refuses the overlay ${overlay} with a misspelt field or a wrong type`, async () => {
    const mistakes: Record<string, (spec: Manifest) => void> = {
      livenessProb: (spec) => Object.assign(spec.template.spec.containers[0], { livenessProb: {} }),
      terminationGracePeriodSeconds: (spec) =>
        Object.assign(spec.template.spec, { terminationGracePeriodSeconds: '30' }),
      serviceName: (spec) => Object.assign(spec, { serviceName: 1 }),
    };
    const copies = Object.values(mistakes).map((mistake) => {
      const copy = structuredClone(ofKind(kind)[0]);
      mistake(copy.spec);
      return copy;
    });
    const errors = await errorsOf(copies);
    for (const name of Object.keys(mistakes)) expect(errors.join('\n')).toContain(name);
  });

  it(`the overlay ${overlay} restricts every container: not root, read-only, no capabilities, bounded memory`, () => {
    expect(pod.spec.securityContext.runAsNonRoot).toBe(true);
    for (const { name, securityContext, resources } of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      expect(securityContext, name).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(securityContext.runAsUser, name).toBeGreaterThan(0);
      expect(resources.limits.memory, name).toBeTruthy();
    }
  });

  it(`the overlay ${overlay} probes the ports and paths that the service has, with settings that the service accepts`, () => {
    const { livenessProbe, readinessProbe, ports, envFrom } = service();
    expect(livenessProbe.httpGet).toEqual({ path: '/livez', port: 'admin' });
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
    const [settings] = ofKind('ConfigMap');
    expect(envFrom).toEqual([{ configMapRef: { name: settings.metadata.name } }]);
    const config = parseConfig(settings.data);
    expect(ports.map(({ containerPort }: Manifest) => containerPort)).toEqual([config.port, config.adminPort]);
    // Longer than the readiness probe takes to notice, and within the time that the pod has.
    expect(config.shutdownDelayMs).toBeGreaterThanOrEqual(1000 * readinessProbe.periodSeconds);
    const limitMs = 1000 * pod.spec.terminationGracePeriodSeconds;
    expect(config.shutdownDelayMs + config.shutdownTimeoutMs).toBeLessThan(limitMs);
  });

  it(`the overlay ${overlay} says how to make the Secret, with every key that the pod reads, and holds no password`, () => {
    const text = readFileSync(join(folder, 'overlays', overlay, 'kustomization.yaml'), 'utf8');
    const made = [...text.matchAll(/--from-(?:file|literal)=([^=]+)=/g)].map(([, key]) => key);
    const read = [...JSON.stringify(pod.spec).matchAll(/"key":"([^"]+)"/g)].map(([, key]) => key);
    expect(made.sort()).toEqual(read.sort());
    expect(ofKind('Secret')).toEqual([]);
  });

  it(`every part of the overlay ${overlay} selects the pods of the overlay`, () => {
    const { labels } = pod.metadata;
    expect(ofKind(kind)[0].spec.selector.matchLabels).toEqual(labels);
    for (const { spec } of ofKind('Service')) expect(spec.selector).toEqual(labels);
    for (const { spec } of ofKind('NetworkPolicy')) expect(spec.podSelector.matchLabels).toEqual(labels);
    for (const { spec } of [...ofKind('PodDisruptionBudget'), ...ofKind('PodMonitor')]) {
      expect(spec.selector.matchLabels).toEqual(labels);
    }
    for (const { spec } of ofKind('HorizontalPodAutoscaler')) {
      const { apiVersion, metadata } = ofKind(kind)[0];
      expect(spec.scaleTargetRef).toEqual({ apiVersion, kind, name: metadata.name });
      // A number here would undo what the autoscaler decided, at the next apply.
      expect(ofKind(kind)[0].spec.replicas).toBeUndefined();
    }
  });

  it(`the overlay ${overlay} loads pictures of members only where its policy lets requests to other hosts out`, () => {
    const [{ spec }] = ofKind('NetworkPolicy');
    const { egress } = spec as { egress?: { ports: { port: number }[] }[] };
    const isOpen = egress === undefined || egress.flatMap(({ ports }) => ports).some(({ port }) => port === 443);
    const [settings] = ofKind('ConfigMap');
    expect(parseConfig(settings.data).fetchAvatars).toBe(isOpen);
  });

  it(`the overlay ${overlay} opens the admin port to Prometheus only`, () => {
    const [{ spec }] = ofKind('NetworkPolicy');
    const { ingress } = spec as { ingress: { ports: { port: string }[]; from?: unknown[] }[] };
    const open = ingress.filter(({ from }) => from === undefined).flatMap(({ ports }) => ports);
    expect(open).toEqual([{ port: 'http' }]);
    expect(ingress.filter(({ from }) => from).flatMap(({ ports }) => ports)).toEqual([{ port: 'admin' }]);
  });

  it(`Prometheus scrapes the overlay ${overlay} through the component pod-monitor`, async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'guildrank-kubernetes-'));
    cpSync(folder, scratch, { recursive: true });
    const file = join(scratch, 'overlays', overlay, 'kustomization.yaml');
    writeFileSync(
      file,
      stringify({ ...parse(readFileSync(file, 'utf8')), components: ['../../components/pod-monitor'] }),
    );
    const all = await render(dirname(file)).finally(() => rmSync(scratch, { recursive: true }));
    const [monitor] = all.filter((manifest) => manifest.kind === 'PodMonitor');
    expect(monitor.spec.selector.matchLabels).toEqual(pod.metadata.labels);
    expect(await errorsOf([monitor])).toEqual([]);
    const names = service().ports.map(({ name }: Manifest) => name);
    for (const { port } of monitor.spec.podMetricsEndpoints) expect(names).toContain(port);
  });
});

describe('the StatefulSet of deploy/kubernetes/overlays/sidecar', needs('kubectl'), () => {
  it('the StatefulSet has the headless Service that it names, and volume claims that an update does not change', async () => {
    const manifests = await render(join(folder, 'overlays/sidecar'));
    const { spec } = manifests.find(({ kind }) => kind === 'StatefulSet');
    const named = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === spec.serviceName);
    expect(named.spec.clusterIP).toBe('None');
    expect(spec.volumeClaimTemplates.map(({ metadata }: Manifest) => metadata)).toEqual([{ name: 'redis-data' }]);
  });
});

describe('the component dashboard of deploy/kubernetes', needs('kubectl'), () => {
  it('the component dashboard runs beside the overlay replicas, restricted, with settings that the dashboard accepts', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'guildrank-kubernetes-'));
    cpSync(folder, scratch, { recursive: true });
    const file = join(scratch, 'overlays/replicas/kustomization.yaml');
    const components = ['../../components/dashboard'];
    writeFileSync(file, stringify({ ...parse(readFileSync(file, 'utf8')), components }));
    const all = await render(dirname(file)).finally(() => rmSync(scratch, { recursive: true }));
    const own = all.filter(({ metadata }) => metadata.name.startsWith('guildrank-dashboard'));
    expect(await errorsOf(own)).toEqual([]);
    expect(own.map(({ kind }) => kind).sort()).toEqual(['ConfigMap', 'Deployment', 'NetworkPolicy', 'Service']);

    const { spec } = own.find(({ kind }) => kind === 'Deployment');
    const { labels } = spec.template.metadata;
    const [container] = spec.template.spec.containers;
    expect(spec.template.spec.securityContext.runAsNonRoot).toBe(true);
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const references: Manifest[] = container.envFrom;
    const settings = references.flatMap(({ configMapRef }) =>
      all.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name),
    );
    expect(settings).toHaveLength(2);
    // Its Secret is there only if people sign in with Discord.
    expect(references.at(-1)).toEqual({ secretRef: { name: 'guildrank-dashboard', optional: true } });
    const config = parseDashboardConfig(Object.assign({}, ...settings.map(({ data }: Manifest) => data)));
    const image = readFileSync(join(repository, 'Dockerfile'), 'utf8');
    const healthPort = Number(/DASHBOARD_HEALTH_PORT=(\d+)/.exec(image)?.[1]);
    expect(container.ports).toEqual([
      { name: 'http', containerPort: config.dashboardPort },
      { name: 'health', containerPort: healthPort },
    ]);
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'health' });
    expect(config.dashboardHost).toBe('::');
    for (const { kind, spec } of own) {
      if (kind === 'Service') expect(spec.selector).toEqual(labels);
      if (kind === 'NetworkPolicy') expect(spec.podSelector.matchLabels).toEqual(labels);
    }
  });
});
