import { Router } from 'express';

/** Why the process cannot serve. */
export interface Unready {
  readonly reason: 'draining' | 'redis' | 'workers';
  /** For the reason "redis": the kind of failure, without an address. */
  readonly cause?: string;
}

/** Returns why the process cannot serve; undefined = it can. No I/O. */
export type Readiness = () => Unready | undefined;

/**
 * Creates the routes /livez (the process runs) and /readyz (it can serve). Neither needs a key or counts against a quota.
 * @param onProbe called for each request.
 */
export function healthRoutes(readiness: Readiness, onProbe = () => {}): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(['/livez', '/readyz'], (_req, _res, next) => {
    onProbe();
    next();
  });
  const noStore = { 'Cache-Control': 'no-store' };
  router.get('/livez', (_req, res) => {
    res.set(noStore).json({ status: 'ok' });
  });
  router.get('/readyz', (_req, res) => {
    const unready = readiness();
    if (!unready) res.set(noStore).json({ status: 'ok' });
    else
      res
        .status(503)
        .set({ ...noStore, 'Retry-After': '1' })
        .json({ status: 'unavailable', ...unready });
  });
  return router;
}
