import { z } from "zod";
import { ArtifactId, ArtifactType, Role, Sha256, UploadId } from "../../contract/ids.ts";
import type { CanonicalizeContext, Staged, ToolSource } from "../../contract/tool-definition.ts";
import { checkedTypeOf } from "./declared-type.ts";
import { inputFault } from "./input-fault.ts";

const maxInlineCharacters = 262_144;

const Input = z.strictObject({
  path: z.string().min(1).max(4_096).optional().describe("A file below an import root: relative to it, or absolute."),
  root: z.string().min(1).max(64).optional().describe("The import root that `path` is relative to; default: inbox."),
  content: z.string().max(maxInlineCharacters).optional().describe("Small content given directly instead of a path."),
  upload: UploadId.optional().describe("Bytes uploaded over HTTP: the id that the upload was given."),
  encoding: z.enum(["utf8", "base64"]).optional().describe("How `content` is written; default: utf8."),
  type: ArtifactType.optional().describe(
    "The artifact's type; default: told from the content, which it may not contradict.",
  ),
  label: z.string().min(1).max(200).optional().describe("A name for people; default: imported."),
});
type Input = z.infer<typeof Input>;

const Output = z.strictObject({
  artifact_id: ArtifactId,
  sha256: Sha256,
  bytes: z.int().nonnegative(),
  type: ArtifactType,
  label: z.string(),
});
const Params = Output.omit({ artifact_id: true });

/** The import boundary: the only place where a path is accepted (A4). What is imported is known by its bytes, not its path. */
export const artifactImport: ToolSource<Input> = {
  abiVersion: "v1",
  toolName: "artifact_import",
  contractVersion: "v1",
  version: "1.0.0",
  title: "Import a file",
  description:
    "Make an artifact of a file below an import root, or of small content given directly. Returns the artifact's id and sha256. " +
    "The same bytes give the same artifact.",
  owner: "helixrun",
  determinism: "pure",
  planKind: "inline",
  input: Input,
  output: Output,

  async canonicalize(args, context) {
    const { staged, importRoot } = await stage(args, context);
    const params = {
      sha256: staged.sha256,
      bytes: staged.bytes,
      type: await checkedTypeOf(staged, args.type),
      label: args.label ?? "imported",
    };
    const output = { role: Role.parse("artifact"), type: params.type, label: params.label };
    const plan = { kind: "inline" as const, outputs: [output], ...(importRoot !== undefined && { importRoot }) };
    return { canonicalParams: params, plan, inputsToLink: [] };
  },

  async run({ params, artifacts, log }) {
    const { sha256, bytes, type, label } = Params.parse(params);
    const artifactId = artifacts.link({ role: Role.parse("artifact"), type, label }, { sha256, bytes });
    log(`registered ${bytes} bytes as ${type}`);
    return { artifact_id: artifactId, sha256, bytes, type, label };
  },
};

async function stage(args: Input, context: CanonicalizeContext): Promise<{ staged: Staged; importRoot?: string }> {
  if ([args.path, args.content, args.upload].filter((source) => source !== undefined).length !== 1)
    throw inputFault("", "one-of", "Give one of path, content and upload.");
  if (args.content === undefined && args.encoding !== undefined)
    throw inputFault("/encoding", "with-content", "encoding goes with content, not with path.");
  if (args.path !== undefined) {
    const staged = await context.stageFile(args.root, args.path);
    return { staged, importRoot: staged.root };
  }
  if (args.root !== undefined) throw inputFault("/root", "with-path", "root goes with path, not with content.");
  if (args.upload !== undefined) return { staged: await context.stageUpload(args.upload) };
  return { staged: await context.stageContent(bytesOf(args)) };
}

function bytesOf({ content = "", encoding = "utf8" }: Input): Uint8Array {
  const bytes = Buffer.from(content, encoding);
  if (encoding === "base64" && bytes.toString("base64").replace(/=+$/, "") !== content.replace(/=+$/, ""))
    throw inputFault("/content", "base64", "content is not base64.");
  return bytes;
}
