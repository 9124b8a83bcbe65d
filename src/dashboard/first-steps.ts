import type { Overview } from '../guild/overview/overview.ts';

/** Returns the first steps of a new guild; none when all are done. @param has whether the service has public pages, and a request with a key came. */
export function firstSteps(overview: Overview, has: { readonly publicPages: boolean; readonly requests: boolean }) {
  const steps = [
    {
      label: 'Add members',
      hint: 'Your bot writes them, or you import the file of another bot.',
      path: '/import',
      isDone: overview.ranked > 0,
    },
    {
      label: 'Make an API key',
      hint: 'With it, a site reads the leaderboard. The page of the last step makes one, too.',
      path: '/keys',
      isDone: overview.keys > 0,
    },
    {
      label: 'Switch the public page on',
      hint: 'A web page of your leaderboard for everybody, without a key.',
      path: '/settings',
      isDone: overview.public_page,
    },
    {
      label: 'Show it on your site',
      hint: 'Done with the first request that comes with one of your keys.',
      path: '/widget',
      isDone: has.requests,
    },
  ];
  const offered = steps.filter(({ path }) => path !== '/settings' || has.publicPages);
  return offered.every(({ isDone }) => isDone) ? [] : offered;
}
