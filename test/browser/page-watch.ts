/** A page of Playwright or Puppeteer. */
interface WatchedPage {
  // The drivers have types of their own for what a listener gets.
  on(event: 'console', listener: (message: unknown) => void): unknown;
  on(event: 'pageerror', listener: (error: unknown) => void): unknown;
  on(event: 'request', listener: (request: unknown) => void): unknown;
}

/** What a page did that a person does not see. */
export interface PageWatch {
  /** Messages of the console and uncaught errors. */
  readonly complaints: string[];
  /** Addresses of requests to other hosts. */
  readonly elsewhere: string[];
}

/** Records what a page does from now on. @param home start of the addresses that are no other host. */
export function watchPage(page: WatchedPage, home: string): PageWatch {
  const watch: PageWatch = { complaints: [], elsewhere: [] };
  page.on('console', (message) => watch.complaints.push((message as { text(): string }).text()));
  page.on('pageerror', (error) => watch.complaints.push(`uncaught: ${(error as Error).message}`));
  page.on('request', (request) => {
    const url = (request as { url(): string }).url();
    if (!url.startsWith(home) && !url.startsWith('data:')) watch.elsewhere.push(url);
  });
  return watch;
}
