import { z } from "zod";
import { ArtifactId, ArtifactType, Sha256 } from "../../contract/ids.ts";
import type { ToolSource } from "../../contract/tool-definition.ts";
import { TreeFile } from "../../contract/tree.ts";
import { inputFault } from "./input-fault.ts";
import { listTree, openTreeFile, planListTree, planOpenTreeFile } from "./open-tree.ts";
import { makeTree, maxEntries, planMakeTree } from "./make-tree.ts";

const Input = z.strictObject({
  entries: z
    .array(z.strictObject({ path: z.string().min(1).max(1_024), artifact_id: ArtifactId }))
    .min(1)
    .max(maxEntries)
    .optional()
    .describe("Makes a tree of these artifacts, each under its path."),
  label: z.string().min(1).max(200).optional().describe("A name for people, of what is made; default: tree."),
  artifact_id: ArtifactId.optional().describe("A tree to open."),
  path: z.string().min(1).max(1_024).optional().describe("A file of that tree, to make an artifact of its own."),
  type: ArtifactType.optional().describe("The type of that file; default: told from the content."),
  cursor: z.string().max(4_096).optional().describe("next_cursor of the page before, when a tree's files are listed."),
});
type Input = z.infer<typeof Input>;

const Output = z.strictObject({
  artifact_id: ArtifactId.describe("The tree."),
  files_total: z.int().optional(),
  bytes_total: z.int().optional(),
  entries: z.array(TreeFile).optional().describe("The files of a tree that was opened, by path."),
  next_cursor: z.string().nullable().optional(),
  file: z
    .strictObject({
      path: z.string(),
      artifact_id: ArtifactId,
      sha256: Sha256,
      bytes: z.int().nonnegative(),
      type: ArtifactType,
    })
    .optional(),
});

/** Several files under one id. A tree is known by its files, so the same files are the same tree. */
export const artifactTree: ToolSource<Input> = {
  abiVersion: "v1",
  toolName: "artifact_tree",
  contractVersion: "v1",
  version: "1.0.0",
  title: "Make or open a tree",
  description:
    "Makes one artifact of several, each under a path (entries); or opens one (artifact_id): lists its files, " +
    "or makes the file at a path an artifact of its own.",
  owner: "helixrun",
  determinism: "pure",
  planKind: "inline",
  input: Input,
  output: Output,

  async canonicalize({ entries, label, artifact_id, path, type, cursor }, context) {
    if ((entries === undefined) === (artifact_id === undefined))
      throw inputFault("", "one-of", "Give either entries, to make a tree, or artifact_id, to open one.");
    if (artifact_id === undefined) {
      refuse({ path, type, cursor }, "goes with artifact_id, not with entries.");
      return planMakeTree({ entries: entries ?? [], label: label ?? "tree" }, context);
    }
    refuse({ label }, "goes with entries, not with artifact_id.");
    if (path === undefined) {
      refuse({ type }, "goes with path.");
      return planListTree({ artifact_id, cursor }, context);
    }
    refuse({ cursor }, "goes with the list of a tree, not with path.");
    return planOpenTreeFile({ artifact_id, path, type }, context);
  },

  async run(run) {
    const act = z.enum(["make", "list", "open"]).parse(run.params["act"]);
    return { make: makeTree, list: listTree, open: openTreeFile }[act](run);
  },
};

/** What has no meaning here is said, not ignored. */
function refuse(members: Record<string, unknown>, message: string): void {
  const name = Object.keys(members).find((member) => members[member] !== undefined);
  if (name !== undefined) throw inputFault(`/${name}`, "with", message);
}
