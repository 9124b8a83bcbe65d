import express, { type Express } from 'express';
import { healthRoutes, type Readiness } from './health.ts';

/** Creates the application of the admin listener: health and metrics, for the operator's own network only. */
export function createAdminApp(readiness: Readiness, metrics: () => Promise<string>, metricsType: string): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(healthRoutes(readiness));
  app.get('/metrics', async (_req, res) => {
    res.set({ 'Content-Type': metricsType, 'Cache-Control': 'no-store' }).end(await metrics());
  });
  return app;
}
