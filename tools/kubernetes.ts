import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { findOnPath } from '../scripts/dev/embedded-redis.ts';
import { typeErrors } from '../test/support/check-types.ts';
import { repository, runProgram } from '../test/support/run-command.ts';

// biome-ignore lint/suspicious/noExplicitAny: a manifest of any kind
export type Manifest = any;

/** Returns the program and the verb of Kustomize, alone or within kubectl; undefined where neither is on PATH. */
function findKustomize(): [program: string, verb: string] | undefined {
  const kustomize = findOnPath(['kustomize']);
  if (kustomize) return [kustomize, 'build'];
  const kubectl = findOnPath(['kubectl']);
  return kubectl ? [kubectl, 'kustomize'] : undefined;
}

/** Renders a folder with a kustomization.yaml. @throws with what Kustomize says, warnings included. */
export async function render(folder: string): Promise<Manifest[]> {
  const [program, verb] = findKustomize() as [string, string];
  const { code, stdout, stderr } = await runProgram(program, [verb, folder]);
  if (code !== 0 || stderr !== '') throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

/** Returns the module with the type and the schema of a manifest, of Kubernetes 1.27 or of the Prometheus Operator. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  const group = apiVersion.split('/')[0];
  const name = group === 'monitoring.coreos.com' ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return `${name}/${apiVersion}/${kind}`;
}

/** Returns a manifest without that which came after Kubernetes 1.27: restartPolicy of an init container, which makes it a sidecar. */
const asOf127 = (manifest: Manifest): Manifest =>
  JSON.parse(JSON.stringify(manifest), function (this: Manifest, key, value) {
    if (key !== 'initContainers') return value;
    return value.map(({ restartPolicy: _, ...container }: Manifest) => container);
  });

/** Returns what the schemas of Kubernetes say against manifests, and what the types say: these also refuse an unknown field. */
export async function errorsOf(manifests: readonly Manifest[]): Promise<string[]> {
  const known = manifests.map(asOf127);
  const errors: string[] = [];
  for (const manifest of known) {
    const model = (await import(moduleOf(manifest)))[manifest.kind];
    try {
      new model(manifest).validate();
    } catch (error) {
      errors.push((error as Error).message);
    }
  }
  return [...errors, ...typeErrorsOf(known)];
}

function typeErrorsOf(manifests: readonly Manifest[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-manifests-'));
  symlinkSync(join(repository, 'tools/node_modules'), join(folder, 'node_modules'));
  const constants = manifests.map((manifest, index) => {
    const type = `import('${moduleOf(manifest)}').I${manifest.kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, null, 2)};\n`;
  });
  writeFileSync(join(folder, 'manifests.mts'), constants.join('\n'));
  const errors = typeErrors(folder, ['manifests.mts']);
  rmSync(folder, { recursive: true });
  return errors === '' ? [] : errors.trim().split('\n');
}
