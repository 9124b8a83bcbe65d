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
  // Tests that run at once have other names and addresses. 198.18.0.0/15 is for tests: RFC 2544.
  const bridge = `gr${process.pid.toString(36)}`;
  const subnet = `198.18.${process.pid % 256}`;
  const spaces: string[] = [];
  let last = 1;
  const host = `${subnet}.1`;
  await ip(`link add ${bridge} type bridge`, `address add ${host}/24 dev ${bridge}`, `link set ${bridge} up`);
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

async function ip(...commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const { code, stderr } = await runProgram('ip', command.split(' '));
    if (code !== 0) throw new Error(`ip ${command}: ${stderr}`);
  }
}
