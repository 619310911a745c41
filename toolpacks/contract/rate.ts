import { z } from "zod";

const periodMs = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
const expected = 'a rate such as "50/s", "100/m" or "1000/h"';

/** So many calls in such a time, written `50/s`. */
export const Rate = z.string({ error: `expected ${expected}` }).transform((text, context) => {
  const [, count, period = ""] = /^([1-9]\d{0,8})\/(s|m|h)$/.exec(text) ?? [];
  if (isPeriod(period)) return { count: Number(count), perMs: periodMs[period] };
  context.addIssue(`expected ${expected}`);
  return z.NEVER;
});
export type Rate = z.infer<typeof Rate>;

function isPeriod(period: string): period is keyof typeof periodMs {
  return Object.hasOwn(periodMs, period);
}
