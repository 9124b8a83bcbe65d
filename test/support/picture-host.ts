import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodePng } from '../../src/service/public/png.ts';

/** Returns a PNG of one colour. */
export function pngOf(side: number, [red, green, blue]: readonly [number, number, number]): Promise<Buffer> {
  const pixel = [red, green, blue, 255];
  const pixels = Uint8Array.from({ length: 4 * side * side }, (_, at) => pixel[at % 4] ?? 0);
  return encodePng({ width: side, height: side, pixels });
}

/** Plays the host of Discord's pictures: each avatar is a red square, unless another answer is given. */
export class PictureHost {
  /** Another answer than a picture. */
  instead: RequestListener | undefined;
  /** The requests so far, as paths with their query. */
  readonly requests: string[] = [];
  readonly #server = createServer(async (req, res) => {
    this.requests.push(req.url ?? '');
    if (this.instead) return this.instead(req, res);
    const size = Number(new URL(req.url ?? '', 'http://host').searchParams.get('size'));
    res.setHeader('Content-Type', 'image/png').end(await pngOf(size, [255, 0, 0]));
  });

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
