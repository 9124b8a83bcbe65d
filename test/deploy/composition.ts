import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, vi } from 'vitest';
import type { RunningChild } from '../../scripts/dev/child-process.ts';
import { LONG_REDIS_TIMEOUT } from '../support/process.ts';
import { type CommandResult, repository } from '../support/run-command.ts';
import { type ComposeService, readComposeFile } from './compose-file.ts';
import { createNetwork } from './container-network.ts';
import { type Container, type ContainerOptions, ENDED_MS, type Image } from './image.ts';
import { valkeyVolumes } from './valkey.ts';

const USER_OF_VALKEY = 999;
/** A check of a container takes seconds on a busy machine. */
const HEALTHY = { timeout: 120_000, interval: 200 };
/** buildah itself writes this file of a container and mounts it. Sometimes buildah does not find the file, and starts no program. */
const MISSED_FILE = /\/run\/\.containerenv.*no such file/i;

/** The services of docker-compose.yml, run as they are written, without an engine. */
export interface Composition {
  /** The address of this machine, as the containers see it. */
  readonly host: string;
  /** Starts a service, and before it what it depends on. @returns the address of its first container. */
  up(name: string): Promise<string>;
  /** Ends the containers of a service with SIGTERM. Its data stay. */
  stop(name: string): Promise<void>;
  /** Runs a command in a further container of a service, as `docker compose run --rm` does. `input` is a file for its standard input. */
  run(name: string, args: readonly string[], input?: string): Promise<CommandResult>;
  /** Runs a program in the first container of a service, as `docker compose exec` does. */
  exec(name: string, command: readonly string[]): Promise<CommandResult>;
  remove(): Promise<void>;
}

/** A container that runs. */
interface Place {
  readonly options: ContainerOptions;
  child?: RunningChild;
  /** Whether the container was started again because of {@link MISSED_FILE}. */
  isSecondStart?: boolean;
}

/** @param env the variables of the .env file, beside those that let the service wait long for Redis. */
export async function createComposition(
  image: Image,
  env: Readonly<Record<string, string>> = {},
): Promise<Composition> {
  const services = readComposeFile({ ...LONG_REDIS_TIMEOUT, ...env });
  const serviceOf = (name: string) => services[name] as ComposeService;
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-compose-'));
  const network = await createNetwork();
  const valkey = await valkeyVolumes(folder);
  const containers = { guildrank: await image.createContainer(), valkey: await image.createBaseContainer() };
  const places = new Map<string, Place[]>();
  const addresses = new Map(
    Object.entries(services).map(([name, { deploy }]) => [
      name,
      Array.from({ length: deploy?.replicas ?? 1 }, network.reserve),
    ]),
  );
  const names = [...addresses].flatMap(([name, all]) => all.map((address) => `${address} ${name}`));

  /** Makes a folder that a container may write to. */
  const scratch = (name: string, owner = 0): string => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o1777);
    chownSync(path, owner, owner);
    return path;
  };

  let count = 0;
  const place = async (service: ComposeService, address: string): Promise<Place> => {
    const own = `container-${count++}`;
    const hosts = join(folder, `${own}.hosts`);
    // An extra host of this file is always the gateway, which is this machine.
    const extra = (service.extra_hosts ?? []).map((each) => each.replace(/^(.*):host-gateway$/, `${network.host} $1`));
    writeFileSync(hosts, `${['127.0.0.1 localhost', '::1 localhost', ...names, ...extra].join('\n')}\n`);
    const isReadOnly = service.read_only === true && !service.tmpfs?.includes('/tmp');
    const volumes = [`${hosts}:/etc/hosts:ro`, `${scratch(`${own}.tmp`)}:/tmp${isReadOnly ? ':ro' : ''}`];
    for (const volume of service.volumes ?? []) {
      if (typeof volume !== 'string') {
        volumes.push(`${resolve(repository, volume.source)}:${volume.target}${volume.read_only ? ':ro' : ''}`);
        continue;
      }
      const [source = '', target = '', mode] = volume.split(':');
      const path = source.startsWith('.') ? join(repository, source) : scratch(source, USER_OF_VALKEY);
      volumes.push([path, target, ...(mode ? [mode] : [])].join(':'));
    }
    const within = await network.join(address);
    if (service.image === 'guildrank') return { options: { within, volumes, variables: service.environment ?? {} } };
    if (!volumes.some((volume) => volume.includes(':/data'))) {
      volumes.push(`${scratch(`${own}.data`, USER_OF_VALKEY)}:/data`);
    }
    return { options: { within, volumes: [...volumes, ...valkey] } };
  };

  const start = (service: ComposeService, { options }: Place, args: readonly string[], stdin?: 'pipe') => {
    const given = stdin ? { ...options, stdin } : options;
    if (service.image === 'guildrank') return containers.guildrank.start(args, given);
    // As the entry point of the image of Valkey does.
    const user = args[0] === 'valkey-server' ? { user: String(USER_OF_VALKEY) } : {};
    // env finds what the volumes bring, and buildah does not.
    return containers.valkey.startProgram(['env', ...args], { ...given, ...user });
  };
  const programs = ({ image: name }: ComposeService): Container =>
    name === 'guildrank' ? containers.guildrank : containers.valkey;
  const healthOf = ({ healthcheck, image: name }: ComposeService): readonly string[] => {
    if (healthcheck?.test) return ['sh', '-c', healthcheck.test[1]];
    return name === 'guildrank' ? image.config.Healthcheck.Test.slice(1) : ['true'];
  };
  const finish = async (child: RunningChild): Promise<CommandResult> => {
    const { code } = await child.waitForEnd(ENDED_MS);
    return { code, stdout: child.stdout(), stderr: child.stderr() };
  };

  const startAt = (service: ComposeService, each: Place): void => {
    each.child = start(service, each, service.command ?? image.config.Cmd);
  };
  /** Starts a container again, once, if buildah missed its own file. */
  const mendStart = (service: ComposeService, each: Place): void => {
    const { child, isSecondStart = false } = each;
    if (isSecondStart || !child || child.isRunning() || !MISSED_FILE.test(child.output())) return;
    each.isSecondStart = true;
    startAt(service, each);
  };

  const awaitHealth = async (name: string): Promise<void> => {
    const service = serviceOf(name);
    for (const each of places.get(name) ?? []) {
      await vi.waitFor(async () => {
        mendStart(service, each);
        const check = await finish(programs(service).startProgram(healthOf(service), each.options));
        expect(check.code, `${name}: ${check.stderr}${each.child?.output()}`).toBe(0);
      }, HEALTHY);
    }
  };

  const up = async (name: string): Promise<string> => {
    const service = serviceOf(name);
    const all = addresses.get(name) as string[];
    const known = places.get(name);
    if (known?.every(({ child }) => child)) return all[0] as string;
    for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
      await up(needed);
      if (condition === 'service_completed_successfully') {
        const ended = await finish(places.get(needed)?.[0]?.child as RunningChild);
        expect(ended, needed).toMatchObject({ code: 0 });
      } else await awaitHealth(needed);
    }
    const started = known ?? (await Promise.all(all.map((address) => place(service, address))));
    places.set(name, started);
    for (const each of started) startAt(service, each);
    if (service.healthcheck !== undefined || service.image === 'guildrank') await awaitHealth(name);
    return all[0] as string;
  };

  return {
    host: network.host,
    up,
    stop: async (name) => {
      for (const each of places.get(name) ?? []) {
        each.child?.kill();
        await each.child?.waitForEnd(ENDED_MS);
        delete each.child;
      }
    },
    run: async (name, args, input) => {
      const service = serviceOf(name);
      for (const needed of Object.keys(service.depends_on ?? {})) await up(needed);
      const child = start(
        service,
        await place(service, network.reserve()),
        args,
        input === undefined ? undefined : 'pipe',
      );
      if (input !== undefined) child.child.stdin?.end(readFileSync(input));
      return finish(child);
    },
    exec: async (name, command) => {
      const options = places.get(name)?.[0]?.options ?? {};
      return finish(programs(serviceOf(name)).startProgram(command, options));
    },
    remove: async () => {
      for (const { child } of [...places.values()].flat()) await child?.stop();
      await network.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
