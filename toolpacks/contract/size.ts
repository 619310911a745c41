import { z } from "zod";

const unitBytes = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 } as const;
const expected = 'a size such as "64KiB" or "5GiB" (B, KiB, MiB, GiB, TiB), or a whole number of bytes';

/** Bytes of a written size: `parseSize("5GiB")`. Throws RangeError for what is not one. */
export function parseSize(text: string): number {
  const bytes = bytesOf(text);
  if (bytes === undefined) throw new RangeError(`expected ${expected}`);
  return bytes;
}

/** A size in a configuration file; parsed to bytes, so that two spellings of one size hash alike. */
export const Size = z.union([z.string(), z.number()], { error: `expected ${expected}` }).transform((size, context) => {
  const bytes = bytesOf(typeof size === "number" ? `${size}B` : size);
  if (bytes !== undefined) return bytes;
  context.addIssue(`expected ${expected}`);
  return z.NEVER;
});
export type Size = z.infer<typeof Size>;

function bytesOf(text: string): number | undefined {
  const [, count, unit = ""] = /^(0|[1-9]\d*)(B|KiB|MiB|GiB|TiB)$/.exec(text) ?? [];
  const bytes = isUnit(unit) ? Number(count) * unitBytes[unit] : Number.NaN;
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

function isUnit(unit: string): unit is keyof typeof unitBytes {
  return Object.hasOwn(unitBytes, unit);
}
