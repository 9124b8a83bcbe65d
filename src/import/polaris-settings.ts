/** Polaris's default: total XP for level n is n^3 + 50n^2 + 100n, rounded to 100. The curve `polaris` is the same. */
const DEFAULTS: Readonly<Record<string, number>> = { x3: 1, x2: 50, x1: 100, rounding: 100 };

/** Returns a warning when the `settings` of an export have another curve than the default; a setting left out is the default. */
export function curveWarning(settings: unknown): string | undefined {
  const { curve, rounding } = (settings ?? {}) as { curve?: Record<string, unknown>; rounding?: unknown };
  const given: Record<string, unknown> = { x3: curve?.[3], x2: curve?.[2], x1: curve?.[1], rounding };
  const differs = Object.entries(DEFAULTS).some(([name, value]) => Number(given[name] ?? value) !== value);
  if (!differs) return undefined;
  const [x3, x2, x1, to] = Object.entries(DEFAULTS).map(([name, value]) => Number(given[name] ?? value));
  return `the server had a curve of its own, ${x3}n^3 + ${x2}n^2 + ${x1}n rounded to ${to}: levels will differ from those it showed`;
}
