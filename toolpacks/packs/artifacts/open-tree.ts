import { z } from "zod";
import { ArtifactId, ArtifactType, Role, Sha256 } from "../../contract/ids.ts";
import type { JsonObject } from "../../contract/json.ts";
import type { ArtifactInfo, Canonicalized, CanonicalizeContext, ToolRun } from "../../contract/tool-definition.ts";
import { TreeFile } from "../../contract/tree.ts";
import { checkedTypeOf } from "./declared-type.ts";
import { answerBytes, shortened, takeWithin } from "./fit.ts";
import { inputFault } from "./input-fault.ts";
import { cursorOf, positionOf } from "./page-cursor.ts";

const maxManifestBytes = 16 * 1_048_576; // 10,000 files with the longest paths stay below it
const Manifest = z.array(TreeFile);

const ListParams = z.strictObject({
  act: z.literal("list"),
  artifact_id: ArtifactId,
  sha256: Sha256,
  after: z.string().nullable(),
});
const OpenParams = z.strictObject({
  act: z.literal("open"),
  artifact_id: ArtifactId,
  path: z.string(),
  sha256: Sha256,
  bytes: z.int(),
  type: ArtifactType,
});

/** A tree does not change, so a page of it is known by where it begins. */
export async function planListTree(
  { artifact_id, cursor }: { artifact_id: ArtifactId; cursor: string | undefined },
  context: CanonicalizeContext,
): Promise<Canonicalized> {
  const { sha256 } = await treeOf(artifact_id, context);
  const after =
    cursor === undefined ? null : positionOf(artifact_id, cursor, z.strictObject({ after: z.string() })).after;
  return {
    canonicalParams: { act: "list", artifact_id, sha256, after },
    plan: { kind: "inline", outputs: [] },
    inputsToLink: [treeLink(artifact_id)],
  };
}

export async function listTree({ params, artifacts, log }: ToolRun): Promise<JsonObject> {
  const { artifact_id, after } = ListParams.parse(params);
  const manifest = await artifacts.readAll(artifact_id, maxManifestBytes);
  const files = Manifest.parse(JSON.parse(new TextDecoder().decode(manifest)));
  const rest = after === null ? files : files.filter(({ path }) => path > after);
  const entries = takeWithin(rest, answerBytes);
  log(`listed ${entries.length} of ${files.length} files`);
  const last = entries.at(-1);
  return {
    artifact_id,
    files_total: files.length,
    bytes_total: files.reduce((sum, file) => sum + file.bytes, 0),
    entries,
    next_cursor: last && entries.length < rest.length ? cursorOf(artifact_id, { after: last.path }) : null,
  };
}

/** The file is what an import of the same bytes would have made. */
export async function planOpenTreeFile(
  { artifact_id, path, type: declared }: { artifact_id: ArtifactId; path: string; type: ArtifactType | undefined },
  context: CanonicalizeContext,
): Promise<Canonicalized> {
  const file = await context.treeFile(await treeOf(artifact_id, context), path);
  if (!file) throw inputFault("/path", "no-such-file", "There is no such file in the tree.");
  const { sha256, bytes } = file;
  const type = await checkedTypeOf(file, declared);
  return {
    canonicalParams: { act: "open", artifact_id, path, sha256, bytes, type },
    plan: { kind: "inline", outputs: [fileOutput(path, type)] },
    inputsToLink: [treeLink(artifact_id)],
  };
}

export async function openTreeFile({ params, artifacts, log }: ToolRun): Promise<JsonObject> {
  const { artifact_id, path, sha256, bytes, type } = OpenParams.parse(params);
  await artifacts.find(artifact_id); // while the tree is there, so are the bytes of its files
  const file = artifacts.link(fileOutput(path, type), { sha256, bytes });
  log(`opened a file of ${bytes} bytes as ${type}`);
  return { artifact_id, file: { path, artifact_id: file, sha256, bytes, type } };
}

async function treeOf(artifactId: ArtifactId, context: CanonicalizeContext): Promise<ArtifactInfo> {
  const artifact = await context.artifact(artifactId);
  if (artifact.type !== "tree") throw inputFault("/artifact_id", "tree", `is no tree but ${artifact.type}.`);
  return artifact;
}

function fileOutput(path: string, type: ArtifactType) {
  return { role: Role.parse("file"), type, label: shortened(path.slice(path.lastIndexOf("/") + 1), 200) };
}

function treeLink(artifactId: ArtifactId) {
  return { role: Role.parse("tree"), artifactId };
}
