import type { ArtifactInfo } from "../toolpacks/contract/tool-definition.ts";
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
from artifacts join blobs using (sha256) where artifact_id = $1 and project = $2`,
};

/** Remembers that a blob's file, as its inode and times now are, has the right hash. */
export async function markVerified(db: Db, { sha256, verified }: { sha256: string; verified: string }): Promise<void> {
  await db.query(mark, [sha256, verified]);
}

const mark = { name: "mark-verified", text: "update blobs set verified = $2 where sha256 = $1" };
