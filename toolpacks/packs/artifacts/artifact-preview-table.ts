import { z } from "zod";
import { ArtifactId, Sha256 } from "../../contract/ids.ts";
import type { ToolSource } from "../../contract/tool-definition.ts";
import { columnTypes } from "./column-type.ts";
import { answerBytes, jsonBytes, takeWithin } from "./fit.ts";
import { readText } from "./read-text.ts";
import { tableOf } from "./table-of.ts";
import { ofOneArtifact } from "./of-one-artifact.ts";

const readBytes = 262_144;
const defaults = { max_rows: 20, max_columns: 20, max_cell: 80 };

const Options = z.strictObject({
  max_rows: z.int().min(1).max(100).optional().describe(`How many rows to show; default ${defaults.max_rows}.`),
  max_columns: z.int().min(1).max(100).optional().describe(`How many columns; default ${defaults.max_columns}.`),
  max_cell: z.int().min(8).max(500).optional().describe(`Characters of a cell; default ${defaults.max_cell}.`),
  header: z.boolean().optional().describe("Whether the first row names the columns; default: told from the content."),
  delimiter: z
    .enum([",", ";", "\t", "|"])
    .optional()
    .describe("What separates fields; default: told from the content."),
});
const Input = z.strictObject({ artifact_id: ArtifactId, ...Options.shape });
type Input = z.infer<typeof Input>;

const Output = z.strictObject({
  artifact_id: ArtifactId,
  delimiter: z.string(),
  header: z.boolean(),
  columns: z.array(z.strictObject({ name: z.string(), type: z.enum(columnTypes) })),
  rows: z.array(z.array(z.string())),
  columns_total: z.int().describe("Fields of the first row, shown or not."),
  rows_read: z.int().describe("Rows that types and lengths are told from."),
  rows_total: z.int().nullable().describe("Null where the table goes on beyond what was read."),
  ragged: z.array(z.strictObject({ row: z.int(), fields: z.int() })).describe("The first rows of another length."),
  ragged_total: z.int(),
  gzipped: z.boolean(),
  bytes_read: z.int(),
  bytes_total: z.int(),
  truncated: z.boolean(),
});
const Params = z.strictObject({
  artifact_id: ArtifactId,
  sha256: Sha256,
  ...Options.required({ max_rows: true, max_columns: true, max_cell: true }).shape,
});

/** The first rows of a table, with what its columns hold (A3). */
export const artifactPreviewTable: ToolSource<Input> = {
  abiVersion: "v1",
  toolName: "artifact_preview_table",
  contractVersion: "v1",
  version: "1.0.0",
  title: "Preview a table",
  description: "Columns with their types and the first rows of a CSV or TSV artifact, gzipped or not.",
  owner: "helixrun",
  determinism: "pure",
  planKind: "inline",
  input: Input,
  output: Output,

  async canonicalize({ artifact_id, header, delimiter, ...asked }, context) {
    const told = { ...(header !== undefined && { header }), ...(delimiter !== undefined && { delimiter }) };
    const limits = {
      max_rows: asked.max_rows ?? defaults.max_rows,
      max_columns: asked.max_columns ?? defaults.max_columns,
      max_cell: asked.max_cell ?? defaults.max_cell,
    };
    return ofOneArtifact(context, artifact_id, { params: { ...limits, ...told } });
  },

  async run({ params, artifacts, log }) {
    const { artifact_id, max_rows, max_columns, max_cell, header, delimiter } = Params.parse(params);
    const start = await readText(artifacts, artifact_id, readBytes);
    const limits = { rows: max_rows, columns: max_columns, cell: max_cell };
    const table = tableOf({ text: start.text, cut: start.cut, header, delimiter }, limits);
    log(`read ${table.rowsRead} rows from ${start.bytesRead} of ${start.bytesTotal} bytes`);
    const columns = takeWithin(table.columns, answerBytes / 3);
    const rows = takeWithin(
      table.rows.map((row) => row.slice(0, columns.length)),
      answerBytes - jsonBytes(columns) - 2_000,
    );
    return {
      artifact_id,
      delimiter: table.delimiter,
      header: table.header,
      columns,
      rows,
      columns_total: table.columnsTotal,
      rows_read: table.rowsRead,
      rows_total: table.whole ? table.rowsRead : null,
      ragged: table.ragged,
      ragged_total: table.raggedTotal,
      gzipped: start.gzipped,
      bytes_read: start.bytesRead,
      bytes_total: start.bytesTotal,
      truncated: !table.whole || rows.length < table.rowsRead || columns.length < table.columnsTotal,
    };
  },
};
