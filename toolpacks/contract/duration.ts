import { z } from "zod";

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const expected = 'a duration such as "500ms", "60s", "10m", "1h" or "7d"';

/** Milliseconds of a written duration: `parseDuration("60s")`. Throws RangeError for what is not one. */
export function parseDuration(text: string): number {
  const ms = msOf(text);
  if (ms === undefined) throw new RangeError(`expected ${expected}`);
  return ms;
}

/** A duration in a configuration file, parsed to milliseconds. A bare number is refused: nobody knows its unit. */
export const Duration = z.string({ error: `expected ${expected}` }).transform((text, context) => {
  const ms = msOf(text);
  if (ms !== undefined) return ms;
  context.addIssue(`expected ${expected}`);
  return z.NEVER;
});
export type Duration = z.infer<typeof Duration>;

function msOf(text: string): number | undefined {
  const [, count, unit = ""] = /^(0|[1-9]\d*)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = isUnit(unit) ? Number(count) * unitMs[unit] : Number.NaN;
  return Number.isSafeInteger(ms) ? ms : undefined;
}

function isUnit(unit: string): unit is keyof typeof unitMs {
  return Object.hasOwn(unitMs, unit);
}
