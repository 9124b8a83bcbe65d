/** Returns settings of a Redis as options of its command line. */
export function redisOptions(settings: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
}
