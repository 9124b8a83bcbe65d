import express, { type ErrorRequestHandler, type Express, type Response } from 'express';
import { healthRoutes, type Readiness } from './health-routes.ts';

/** Creates the application of the admin listener: health and metrics, for the operator's own network only. */
export function createAdminApp(readiness: Readiness, metrics: () => Promise<string>, metricsType: string): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(healthRoutes(readiness));
  app.get('/metrics', async (_req, res) => {
    res.set({ 'Content-Type': metricsType, 'Cache-Control': 'no-store' }).end(await metrics());
  });
  app.use((_req, res) => answer(res, 404, 'There is no such resource. This port has /livez, /readyz and /metrics.'));
  const failed: ErrorRequestHandler = (error: Error, _req, res, _next) => answer(res, 500, error.message);
  app.use(failed);
  return app;
}

function answer(res: Response, status: number, detail: string): void {
  res.status(status).set('Cache-Control', 'no-store').type('json').json({ status, detail });
}
