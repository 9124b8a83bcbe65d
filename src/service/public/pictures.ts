import { LRUCache } from 'lru-cache';
import { RenderedBody } from '../http/response/rendered-body.ts';

/** Draws an SVG as PNG. */
export type Painter = (svg: string) => Promise<Uint8Array>;

/** Most pictures to keep, and their bytes. A picture has 20 to 80 kB. */
const KEPT = { max: 500, maxSize: 8 * 1024 * 1024 };
/** Most pictures that wait or are being drawn. A card takes about 20 ms of a core and a top picture about 50 ms, most of it in other threads. */
const MAX_WAITING = 8;

/** Draws pictures, one at a time, and keeps them by the content of their SVG. */
export class Pictures {
  private readonly kept = new LRUCache<string, RenderedBody>({ ...KEPT, sizeCalculation: ({ body }) => body.length });
  private readonly drawn = new Map<string, Promise<RenderedBody>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly painter: Painter) {}

  /** Returns the ETag that the picture of an SVG has. */
  etagOf(svg: RenderedBody): string {
    return `${svg.etag.slice(0, -1)}-png"`;
  }

  /** Returns the picture of an SVG; undefined when too many pictures wait already. @throws Error when it cannot be drawn. */
  async png(svg: RenderedBody): Promise<RenderedBody | undefined> {
    const etag = this.etagOf(svg);
    const known = this.kept.get(etag) ?? this.drawn.get(etag);
    if (known || this.drawn.size >= MAX_WAITING) return known;
    const drawing = this.last.then(() => this.draw(svg, etag));
    this.last = drawing.catch(() => {});
    this.drawn.set(etag, drawing);
    try {
      return await drawing;
    } finally {
      this.drawn.delete(etag);
    }
  }

  private async draw(svg: RenderedBody, etag: string): Promise<RenderedBody> {
    const bytes = await this.painter(Buffer.from(svg.body, 'latin1').toString());
    const picture = new RenderedBody(Buffer.from(bytes).toString('latin1'), etag, 'image/png');
    this.kept.set(etag, picture);
    return picture;
  }
}
