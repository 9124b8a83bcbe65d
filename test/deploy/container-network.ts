import { runProgram } from '../support/run-command.ts';

/** A network of containers on this machine, as the one of a compose file: each has an address, and names lead to them. */
export interface ContainerNetwork {
  /** The address of this machine in it. */
  readonly host: string;
  /** Returns an address that no container has yet. */
  reserve(): string;
  /** Makes the place of one container. @returns what starts a program there. */
  join(address: string): Promise<readonly string[]>;
  remove(): Promise<void>;
}

/** Makes a network of namespaces of Linux. Needs root. */
export async function createNetwork(): Promise<ContainerNetwork> {
  const { bridge, subnet } = await addBridge();
  const spaces: string[] = [];
  let last = 1;
  const host = `${subnet}.1`;
  await ip(`address add ${host}/24 dev ${bridge}`, `link set ${bridge} up`);
  return {
    host,
    reserve: () => `${subnet}.${++last}`,
    join: async (address) => {
      const name = `${bridge}-${address.split('.').at(-1)}`;
      spaces.push(name);
      await ip(
        `netns add ${name}`,
        `link add ${name} type veth peer name eth0 netns ${name}`,
        `link set ${name} master ${bridge} up`,
      );
      await ip(`-n ${name} link set lo up`);
      await ip(`-n ${name} address add ${address}/24 dev eth0`, `-n ${name} link set eth0 up`);
      return ['nsenter', `--net=/run/netns/${name}`];
    },
    remove: async () => {
      await ip(...spaces.map((name) => `netns delete ${name}`), `link delete ${bridge}`);
    },
  };
}

/** Adds a bridge, whose name keeps its subnet from other tests that run at once. 198.18.0.0/15 is for tests: RFC 2544. */
async function addBridge(): Promise<{ readonly bridge: string; readonly subnet: string }> {
  const count = 2 * 256;
  for (let tried = 0; tried < count; tried++) {
    const number = (process.pid + tried) % count;
    const second = 18 + Math.floor(number / 256);
    const third = number % 256;
    const bridge = `gr${second}-${third}`;
    const { code, stderr } = await runProgram('ip', ['link', 'add', bridge, 'type', 'bridge']);
    if (code === 0) return { bridge, subnet: `198.${second}.${third}` };
    if (!stderr.includes('File exists')) throw new Error(`ip link add ${bridge} type bridge: ${stderr}`);
  }
  throw new Error(`Each of ${count} networks is in use: delete the bridges that "ip link show type bridge" lists`);
}

async function ip(...commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const { code, stderr } = await runProgram('ip', command.split(' '));
    if (code !== 0) throw new Error(`ip ${command}: ${stderr}`);
  }
}
