import { z } from "zod";
import { ArtifactId, Sha256 } from "../../contract/ids.ts";
import type { ToolSource } from "../../contract/tool-definition.ts";
import { answerBytes, jsonBytes, shortened, takeWithin } from "./fit.ts";
import { readText } from "./read-text.ts";
import { reportOf } from "./report-of.ts";
import { ofOneArtifact } from "./of-one-artifact.ts";

const readBytes = 8 * 1_048_576; // reports carry their scripts and pictures inside them, before what they say
const bytesOf = { outline: answerBytes / 5, tables: (answerBytes * 2) / 5, text: (answerBytes * 2) / 5 - 1_000 };

const Input = z.strictObject({ artifact_id: ArtifactId });
type Input = z.infer<typeof Input>;

const Output = z.strictObject({
  artifact_id: ArtifactId,
  title: z.string().nullable(),
  outline: z.array(z.strictObject({ level: z.int().min(1).max(6), text: z.string() })),
  text: z.string().describe("What the report says, without its tables."),
  tables: z.array(z.strictObject({ rows: z.array(z.array(z.string())), rows_total: z.int() })),
  tables_total: z.int(),
  gzipped: z.boolean(),
  bytes_read: z.int(),
  bytes_total: z.int(),
  truncated: z.boolean(),
});
const Params = z.strictObject({ artifact_id: ArtifactId, sha256: Sha256 });

/** An HTML report as text: what it is called, how it is divided, what it says, and its tables (A3). */
export const artifactPreviewReport: ToolSource<Input> = {
  abiVersion: "v1",
  toolName: "artifact_preview_report",
  contractVersion: "v1",
  version: "1.0.0",
  title: "Preview a report",
  description: "Title, outline, text and tables of an HTML report, without scripts, styles and comments.",
  owner: "helixrun",
  determinism: "pure",
  planKind: "inline",
  input: Input,
  output: Output,

  async canonicalize({ artifact_id }, context) {
    return ofOneArtifact(context, artifact_id);
  },

  async run({ params, artifacts, signal, log }) {
    const { artifact_id } = Params.parse(params);
    const start = await readText(artifacts, artifact_id, readBytes);
    const report = await reportOf(start.text, signal);
    log(`read ${start.bytesRead} of ${start.bytesTotal} bytes: ${report.tablesTotal} tables`);
    const outline = takeWithin(report.outline, bytesOf.outline);
    const tables = takeWithin(report.tables, bytesOf.tables);
    const text = fittingText(report.text);
    const shownAll =
      outline.length === report.outline.length && tables.length === report.tables.length && text === report.text;
    return {
      artifact_id,
      title: report.title,
      outline,
      text,
      tables,
      tables_total: report.tablesTotal,
      gzipped: start.gzipped,
      bytes_read: start.bytesRead,
      bytes_total: start.bytesTotal,
      truncated: start.cut || report.truncated || !shownAll,
    };
  },
};

/** Most texts fit as they are; one whose characters take several bytes is cut by their share. */
function fittingText(text: string): string {
  const bytes = jsonBytes(text);
  return bytes <= bytesOf.text ? text : shortened(text, Math.floor((text.length * bytesOf.text) / bytes));
}
