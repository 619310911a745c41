import { z } from "zod";
import { ArtifactId, ArtifactType, Role } from "../../contract/ids.ts";
import type { JsonObject } from "../../contract/json.ts";
import type { Canonicalized, CanonicalizeContext, ToolRun } from "../../contract/tool-definition.ts";
import { TreeFile } from "../../contract/tree.ts";
import { inputFault, inputFaults } from "./input-fault.ts";
import { pathViolations } from "./tree-path.ts";

export const maxEntries = 10_000;

const Params = z.strictObject({
  act: z.literal("make"),
  label: z.string(),
  files: z.array(TreeFile.extend({ artifact_id: ArtifactId })),
});

/** The same files in another order are the same question. */
export async function planMakeTree(
  { entries, label }: { entries: { path: string; artifact_id: ArtifactId }[]; label: string },
  context: CanonicalizeContext,
): Promise<Canonicalized> {
  const violations = pathViolations(entries.map(({ path }) => path));
  if (violations.length > 0) throw inputFaults(violations);
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const known = await context.artifacts(sorted.map(({ artifact_id }) => artifact_id));
  if (known.some(({ type }) => type === "tree"))
    throw inputFault("/entries", "tree", "A tree holds files, not trees: name the files of the other tree.");
  const files = sorted.flatMap(({ path, artifact_id }, index) => {
    const artifact = known[index];
    return artifact ? [{ path, artifact_id, sha256: artifact.sha256, bytes: artifact.bytes }] : [];
  });
  return {
    canonicalParams: { act: "make", label, files },
    plan: { kind: "inline", outputs: [treeOutput(label)] },
    inputsToLink: files.map(({ artifact_id }, index) => ({ role: fileRole(index), artifactId: artifact_id })),
  };
}

export async function makeTree({ params, artifacts, log }: ToolRun): Promise<JsonObject> {
  const { files, label } = Params.parse(params);
  await artifacts.findAll(files.map(({ artifact_id }) => artifact_id)); // one may have been removed since the call
  const contents = files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes }));
  const artifactId = await artifacts.storeTree(treeOutput(label), contents);
  log(`made a tree of ${files.length} files`);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { artifact_id: artifactId, files_total: files.length, bytes_total: bytes };
}

function treeOutput(label: string) {
  return { role: Role.parse("tree"), type: ArtifactType.parse("tree"), label };
}

function fileRole(index: number): Role {
  return Role.parse(`file-${String(index + 1).padStart(4, "0")}`);
}
