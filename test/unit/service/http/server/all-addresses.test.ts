import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { listenOn, urlOf } from '../../../../../src/service/http/server/listener.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

describe('listenOn with the host ::', () => {
  let server: Server;
  afterEach(() => server.close());

  it('the host :: takes connections over IPv4, and over IPv6 where the machine has it', async () => {
    server = createServer();
    await listenOn(server, '::', 0, 'PORT');
    for (const host of ['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])]) {
      const socket = connect((server.address() as AddressInfo).port, host);
      await once(socket, 'connect');
      socket.destroy();
    }
  });

  it.each(['EAFNOSUPPORT', 'EADDRNOTAVAIL'])(
    'the host :: listens on IPv4 where the kernel says %s for IPv6',
    async (code) => {
      server = createServer();
      const listen = server.listen.bind(server) as (options: object) => Server;
      server.listen = ((options: { host: string }) => {
        if (options.host !== '::') return listen(options);
        setImmediate(() => server.emit('error', Object.assign(new Error(code), { code })));
        return server;
      }) as typeof server.listen;
      await listenOn(server, '::', 0, 'PORT');
      expect(urlOf(server)).toMatch(/^http:\/\/0\.0\.0\.0:/);
    },
  );
});
