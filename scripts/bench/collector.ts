import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of spans that drops them. */
export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  stop(): void;
}

/** Starts a receiver of OTLP over HTTP in this process. It takes as little time from the load as can be. */
export async function startCollector(): Promise<Collector> {
  const server = createServer((req, res) => {
    req.resume().on('end', () => res.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}
