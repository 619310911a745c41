export const columnTypes = ["empty", "integer", "number", "boolean", "date", "text"] as const;
export type ColumnType = (typeof columnTypes)[number];

/** What all values of a column are; empty ones, and those that say that nothing is known, do not count. */
export function columnTypeOf(values: readonly string[]): ColumnType {
  const known = values.map((value) => value.trim()).filter((value) => !missing.has(value.toLowerCase()));
  if (known.length === 0) return "empty";
  return forms.find(([, form]) => known.every((value) => form.test(value)))?.[0] ?? "text";
}

const missing = new Set(["", "na", "n/a", "nan", "null", "none", ".", "-"]);

const forms: readonly (readonly [ColumnType, RegExp])[] = [
  ["integer", /^[+-]?\d{1,18}$/],
  ["number", /^[+-]?(?:\d{1,32}(?:\.\d{0,32})?|\.\d{1,32})(?:e[+-]?\d{1,4})?$|^[+-]?inf(?:inity)?$/i],
  ["boolean", /^(?:true|false|yes|no|t|f)$/i],
  ["date", /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/],
];
