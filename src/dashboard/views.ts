import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { Response } from 'express';
import type { Assets } from './assets.ts';
import { format } from './format.ts';
import { visitOf } from './visit.ts';

/** The data of a page. All of it is escaped: no template writes text as markup. */
export interface PageData extends Readonly<Record<string, unknown>> {
  readonly title: string;
}

/** Renders the templates in ./templates. A template sees its data, and the parts of the layout, as `it`. */
export class Views {
  private readonly eta = new Eta({
    views: fileURLToPath(new URL('./templates', import.meta.url)),
    cache: true,
    autoEscape: true,
  });

  constructor(
    private readonly assets: Assets,
    /** Pages of a guild, for the navigation. */
    private readonly pages: readonly { readonly path: string; readonly label: string }[],
  ) {}

  /** Answers with a page. */
  send(res: Response, template: string, data: PageData, status = 200): void {
    const { session, guildId } = visitOf(res);
    const html = this.eta.render(template, {
      ...data,
      ...format,
      asset: (name: Parameters<Assets['pathOf']>[0]) => this.assets.pathOf(name),
      session,
      guildId,
      base: guildId === undefined ? '' : `/guilds/${encodeURIComponent(guildId)}`,
      path: res.context.route,
      pages: this.pages,
      formToken: session?.formToken,
    });
    res.status(status).type('html').send(html);
  }
}
