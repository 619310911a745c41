import type { ArtifactInfo } from "../toolpacks/contract/tool-definition.ts";
import { ToolError } from "../toolpacks/contract/tool-error.ts";
import type { Db } from "./db.ts";

export type StoredArtifact = ArtifactInfo & { createdByRun: string; verified: string };

export type ArtifactInProject = { project: string; artifactId: string };

/** Artifacts of their projects; one of another project is not found, like one that never was. */
export async function findArtifactsInProjects(
  db: Db,
  asked: ArtifactInProject[],
): Promise<(StoredArtifact | undefined)[]> {
  const found = await db.query<StoredArtifact & { project: string }>(find, [asked.map(({ artifactId }) => artifactId)]);
  const known = new Map<string, { project: string; artifact: StoredArtifact }>(
    found.map(({ project, ...artifact }) => [artifact.artifactId, { project, artifact }]),
  );
  return asked.map(({ project, artifactId }) => {
    const one = known.get(artifactId);
    return one?.project === project ? one.artifact : undefined;
  });
}

const find = {
  name: "find-artifacts",
  text: `select artifact_id as "artifactId", project, sha256, type, artifacts.bytes, artifacts.created_at as "createdAt",
  created_by_run as "createdByRun", verified
from artifacts join blobs using (sha256) where artifact_id = any($1) and tombstoned_at is null`,
};

/** Many artifacts of this project, in the order in which they are named; `P-PRECOND-001` with those that it has not. */
export async function findArtifacts(
  db: Db,
  { project, artifactIds }: { project: string; artifactIds: string[] },
): Promise<StoredArtifact[]> {
  const found = await findArtifactsInProjects(
    db,
    artifactIds.map((artifactId) => ({ project, artifactId })),
  );
  const missing = artifactIds.filter((_, at) => !found[at]).slice(0, mostNamed);
  if (missing.length > 0) throw new ToolError("P-PRECOND-001", { details: { artifact_ids: missing } });
  return found.flatMap((artifact) => artifact ?? []);
}

const mostNamed = 20;

/** Remembers that a blob's file, as its inode and times now are, has the right hash; a quarantined one is healed by that. */
export async function markVerified(db: Db, { sha256, verified }: { sha256: string; verified: string }): Promise<void> {
  await db.query(mark, [sha256, verified]);
}

const mark = {
  name: "mark-verified",
  text: "update blobs set verified = $2, verified_at = now(), quarantined_at = null where sha256 = $1",
};
