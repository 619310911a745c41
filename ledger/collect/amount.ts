/** How many, and what they weigh. */
export type Amount = { count: number; bytes: number };

export const nothing: Amount = { count: 0, bytes: 0 };

export function sumOf(a: Amount, b: Amount): Amount {
  return { count: a.count + b.count, bytes: a.bytes + b.bytes };
}

export function amountOf(rows: { bytes: number }[]): Amount {
  return { count: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
}
