import type { Request, Response } from 'express';
import type { Operations } from './operations.ts';
import type { Gate } from './require-api-key.ts';

/** Serves a request, or returns false and has done nothing. */
export type Shortcut = (req: Request, res: Response) => boolean;

export interface ShortcutParts {
  readonly operations: Operations;
  readonly gate: Gate;
  /** Gives a request its context. */
  readonly open: (req: Request, res: Response) => void;
  /** Answers a request that failed. */
  readonly fail: (error: unknown, req: Request, res: Response) => void;
}

/**
 * The way of an address that was asked for before or is in its plain form: past Express, whose layers and router have nothing to find
 * out about it, for a tenth of a request (docs/adr/0011). The context, the gate and the problems are the same.
 */
export function shortcutTo({ operations, gate, open, fail }: ShortcutParts): Shortcut {
  return (req, res) => {
    if ((req.method !== 'GET' && req.method !== 'HEAD') || req.headers.host === undefined) return false;
    const asked = operations.recall(req.url);
    if (!asked) return false;
    const failed = (error: unknown) => fail(error, req, res);
    try {
      open(req, res);
      res.context.route = asked.path;
      gate.admit(req, res, failed, (_req, identity) => operations.want(req.url, asked, identity));
    } catch (error) {
      failed(error);
    }
    return true;
  };
}
