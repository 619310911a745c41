import { z } from "zod";
import { textOf } from "../../contract/harmless-text.ts";
import { ArtifactId, Sha256 } from "../../contract/ids.ts";
import type { ToolSource } from "../../contract/tool-definition.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { ofOneArtifact } from "./of-one-artifact.ts";

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
    return ofOneArtifact(context, artifact_id, { params: { max_bytes } });
  },

  async run({ params, artifacts, log }) {
    const { artifact_id, max_bytes } = Params.parse(params);
    const { bytes } = await artifacts.find(artifact_id);
    const head = await artifacts.readHead(artifact_id, max_bytes);
    const text = textOf(head);
    if (text === undefined) throw new ToolError("D-DATA-002", { details: { artifact_id, expected: "UTF-8 text" } });
    log(`read ${head.length} of ${bytes} bytes`);
    return { artifact_id, text, bytes_shown: head.length, bytes_total: bytes, truncated: head.length < bytes };
  },
};
