import type { RequestHandler } from 'express';

/**
 * Leads a browser that opens the address of the service to the documentation page. A program that takes JSON, or anything, is left to the routes
 * that follow.
 * @param onPage called for each browser.
 */
export function leadToDocs(onPage: () => void): RequestHandler {
  return (req, res, next) => {
    if (req.accepts(['json', 'html']) !== 'html') return next();
    onPage();
    res.context.route = '/';
    res.set({ 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': res.context.requestId, Vary: 'Accept' });
    // Relative, because a proxy can serve the page below a path of its own.
    res.status(302).set('Location', 'docs').end();
  };
}
