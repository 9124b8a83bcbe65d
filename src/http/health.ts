import { Router } from 'express';

/** Returns true when the process can serve, or the reason why it cannot. */
export type Readiness = () => Promise<true | 'draining' | 'redis' | 'workers'>;

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
  router.get('/readyz', async (_req, res) => {
    const state = await readiness();
    if (state === true) res.set(noStore).json({ status: 'ok' });
    else
      res
        .status(503)
        .set({ ...noStore, 'Retry-After': '1' })
        .json({ status: 'unavailable', reason: state });
  });
  return router;
}
