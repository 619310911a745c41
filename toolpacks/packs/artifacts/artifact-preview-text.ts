import { z } from "zod";
import { ArtifactId, Role, Sha256 } from "../../contract/ids.ts";
import type { ToolSource } from "../../contract/tool-definition.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { isText } from "./guess-type.ts";

const defaultBytes = 2_048;
const maxBytes = 8_192; // escaped as JSON this stays below the 32 KiB that an answer may hold

const Input = z.strictObject({
  artifact_id: ArtifactId,
  max_bytes: z.int().min(1).max(maxBytes).optional().describe(`How much to read; default ${defaultBytes}.`),
});
type Input = z.infer<typeof Input>;

const Output = z.strictObject({
  artifact_id: ArtifactId,
  text: z.string(),
  bytes_shown: z.int().nonnegative(),
  bytes_total: z.int().nonnegative(),
  truncated: z.boolean(),
});
const Params = z.strictObject({ artifact_id: ArtifactId, sha256: Sha256, max_bytes: z.int() });

/** The start of a text artifact, made harmless to show: the assistant sees previews, not blobs (A3). */
export const artifactPreviewText: ToolSource<Input> = {
  abiVersion: "v1",
  toolName: "artifact_preview_text",
  contractVersion: "v1",
  version: "1.0.0",
  title: "Preview a text artifact",
  description: "The first bytes of a text artifact, with control characters shown as symbols.",
  owner: "helixrun",
  determinism: "pure",
  planKind: "inline",
  input: Input,
  output: Output,

  async canonicalize({ artifact_id, max_bytes = defaultBytes }, context) {
    const { sha256 } = await context.artifact(artifact_id);
    return {
      canonicalParams: { artifact_id, sha256, max_bytes },
      plan: { kind: "inline", outputs: [] },
      inputsToLink: [{ role: Role.parse("artifact"), artifactId: artifact_id }],
    };
  },

  async run({ params, artifacts, log }) {
    const { artifact_id, max_bytes } = Params.parse(params);
    const { bytes } = await artifacts.find(artifact_id);
    const head = await artifacts.readHead(artifact_id, max_bytes);
    if (!isText(head)) throw new ToolError("D-DATA-002", { details: { artifact_id, expected: "UTF-8 text" } });
    log(`read ${head.length} of ${bytes} bytes`);
    const text = harmless(new TextDecoder().decode(head, { stream: true })); // a character cut in two is left out
    return { artifact_id, text, bytes_shown: head.length, bytes_total: bytes, truncated: head.length < bytes };
  },
};

/** Control characters could steer a terminal: they are shown as their pictures (U+2400 …), line ends and tabs stay. */
function harmless(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (c) => String.fromCodePoint(0x2400 + (c.codePointAt(0) ?? 0)))
    .replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\u2421");
}
