import type { ArtifactInfo } from "../toolpacks/contract/tool-definition.ts";
import { ToolError } from "../toolpacks/contract/tool-error.ts";
import type { Db } from "./db.ts";

export type StoredArtifact = ArtifactInfo & { createdByRun: string; verified: string };

/** An artifact of this project; one of another project is not found, like one that never was. */
export async function findArtifact(
  db: Db,
  { project, artifactId }: { project: string; artifactId: string },
): Promise<StoredArtifact | undefined> {
  return (await db.query<StoredArtifact>(find, [artifactId, project]))[0];
}

const find = {
  name: "find-artifact",
  text: `select artifact_id as "artifactId", sha256, type, artifacts.bytes, artifacts.created_at as "createdAt",
  created_by_run as "createdByRun", verified
from artifacts join blobs using (sha256) where artifact_id = $1 and project = $2 and tombstoned_at is null`,
};

/** Many artifacts of this project, in the order in which they are named; `P-PRECOND-001` with those that it has not. */
export async function findArtifacts(
  db: Db,
  { project, artifactIds }: { project: string; artifactIds: string[] },
): Promise<StoredArtifact[]> {
  const found = await db.query<StoredArtifact>(findMany, [artifactIds, project]);
  const known = new Map<string, StoredArtifact>(found.map((artifact) => [artifact.artifactId, artifact]));
  const missing = artifactIds.filter((id) => !known.has(id)).slice(0, mostNamed);
  if (missing.length > 0) throw new ToolError("P-PRECOND-001", { details: { artifact_ids: missing } });
  return artifactIds.flatMap((id) => known.get(id) ?? []);
}

const mostNamed = 20;
const findMany = { name: "find-artifacts", text: find.text.replace("artifact_id = $1", "artifact_id = any($1)") };

/** Remembers that a blob's file, as its inode and times now are, has the right hash; a quarantined one is healed by that. */
export async function markVerified(db: Db, { sha256, verified }: { sha256: string; verified: string }): Promise<void> {
  await db.query(mark, [sha256, verified]);
}

const mark = {
  name: "mark-verified",
  text: "update blobs set verified = $2, verified_at = now(), quarantined_at = null where sha256 = $1",
};
