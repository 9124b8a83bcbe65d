/** Scheme and authority of a target in absolute form: RFC 9112 section 3.2.2. */
const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Returns path and query of a request's target, or undefined if it is malformed. Express would parse an absolute form with `url.parse`,
 * which throws, or prints a warning with the whole address on stderr.
 */
export function pathOf(target: string): string | undefined {
  if (target.startsWith('/') || target === '*') return target;
  if (!ABSOLUTE_FORM.test(target) || !URL.canParse(target)) return undefined;
  const path = target.replace(ABSOLUTE_FORM, '');
  return path.startsWith('/') ? path : `/${path}`;
}
