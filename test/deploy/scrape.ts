/** The content of one answer of /metrics. */
export interface Scrape {
  /** The metrics as they are declared. */
  readonly families: readonly string[];
  /** The names that a query can ask for: of a histogram, its buckets, sum and count. */
  readonly names: readonly string[];
  /** Label names by metric, without metrics that have no samples. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads the Prometheus text format. */
export function scrapeOf(text: string): Scrape {
  const declared = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', inside = ''] of text.matchAll(/^([a-z_:][\w:]*)(?:\{(.*)\})? \S+$/gim)) {
    const known = labels.get(name) ?? new Set();
    for (const [, label = ''] of inside.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    labels.set(name, known);
  }
  return {
    families: declared.map(({ name }) => name),
    names: declared.flatMap(({ name, type }) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
    labels,
  };
}

/** The metrics of a query. */
export interface Query {
  /** Each metric with the labels that its matchers name. */
  readonly metrics: readonly { readonly name: string; readonly labels: string[] }[];
}

const WORDS = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'offset', 'bool']);

/** Finds the metrics in a PromQL expression: names that are neither functions, nor words of the language, nor labels. */
export function queryOf(expr: string): Query {
  const bare = expr
    .replace(/#.*$/gm, '')
    // Lists of labels, and durations.
    .replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replace(/\[[^\]]*\]|\boffset\s+\w+/g, ' ');
  const metrics = [...bare.matchAll(/(?<![\w:"$.])([a-z_:][\w:]*)\s*(\(|\{[^}]*\})?/gi)]
    .filter(([, name = '', next = '']) => next !== '(' && !WORDS.has(name))
    .map(([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
    }));
  return { metrics };
}
