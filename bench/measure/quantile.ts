export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How the values of a candidate are shown beside its median. */
export const shownTimes = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} ms (p95 ${quantile(values, 0.95).toFixed(2)})`;

/** The value that a fraction of all lies below. */
function quantile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}
