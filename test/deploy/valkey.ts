import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from '../support/run-command.ts';

/** Puts the programs of that Valkey which CI runs into a folder. @returns the volumes that bring them into a container. */
export async function valkeyVolumes(folder: string): Promise<string[]> {
  const { code, stdout, stderr } = await runProgram('scripts/dev/servers.sh', ['valkey-8']);
  if (code !== 0) throw new Error(`There is no Valkey:\n${stderr}`);
  const installed = dirname(stdout.trim());
  const server = readFileSync(stdout.trim(), 'utf8')
    .replaceAll(installed, '/opt/valkey')
    .replace(/^exec/m, 'cd /data\nexec');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  // The image of Valkey is built with protected mode off.
  writeFileSync(join(bin, 'valkey-server'), server.replace('"$@"', '"$@" --protected-mode no'));
  writeFileSync(join(bin, 'valkey-cli'), server.replace(/valkey-server(?= "\$@")/, 'valkey-cli'));
  const programs = ['valkey-server', 'valkey-cli'].map((name) => {
    chmodSync(join(bin, name), 0o755);
    return `${join(bin, name)}:/usr/local/bin/${name}:ro`;
  });
  return [...programs, `${installed}:/opt/valkey:ro`];
}
