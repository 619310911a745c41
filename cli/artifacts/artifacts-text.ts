import { z } from "zod";
import { harmless } from "../../toolpacks/contract/harmless-text.ts";

// What the tools answer, as far as it is printed; their own schemas are stricter.

const Listed = z.object({
  artifacts: z.array(
    z.object({
      artifact_id: z.string(),
      type: z.string(),
      bytes: z.number(),
      label: z.string().nullable(),
      created_at: z.string(),
    }),
  ),
  as_of: z.object({ artifact_count: z.number() }),
  next_cursor: z.string().nullable(),
});

export function listAsTable(output: unknown): string {
  const { artifacts, next_cursor: next } = Listed.parse(output);
  if (artifacts.length === 0) return "no artifacts";
  const rows = artifacts.map((a) => [a.created_at, a.type, sizeText(a.bytes), a.artifact_id, oneLine(a.label ?? "")]);
  return [columns(rows), ...(next === null ? [] : [`more: helixrun artifacts list --cursor ${next}`])].join("\n");
}

const Table = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.string())),
  rows_total: z.number().nullable(),
});

export function tableAsText(output: unknown): string {
  const { columns: heads, rows, rows_total: total } = Table.parse(output);
  const count = total === null ? `the first ${rows.length} rows` : `${rows.length} of ${total} rows`;
  return [columns([heads.map(({ name }) => oneLine(name)), ...rows.map((row) => row.map(oneLine))]), count].join("\n");
}

const Report = z.object({
  title: z.string().nullable(),
  outline: z.array(z.object({ level: z.number(), text: z.string() })),
  text: z.string(),
  tables: z.array(z.object({ rows: z.array(z.array(z.string())) })),
});

export function reportAsText(output: unknown): string {
  const { title, outline, text, tables } = Report.parse(output);
  const parts = [
    title ?? "",
    outline.map(({ level, text: heading }) => `${"  ".repeat(level - 1)}- ${oneLine(heading)}`).join("\n"),
    text,
    ...tables.map(({ rows }) => columns(rows.map((row) => row.map(oneLine)))),
  ];
  return harmless(parts.filter((part) => part !== "").join("\n\n"));
}

export function textPreview(output: unknown): string {
  const { text, truncated } = z.object({ text: z.string(), truncated: z.boolean() }).parse(output);
  return `${text.trimEnd()}${truncated ? "\n…" : ""}`;
}

/** Sizes as people say them: 1.4 GiB. */
export function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 2 ** (10 * power)).toFixed(1)} ${units[power]}`;
}

const oneLine = (text: string): string => harmless(text).replaceAll(/\s+/g, " ");

function columns(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
