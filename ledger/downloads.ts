import type { Db } from "./db.ts";

/** Who took the bytes of which artifact away: data movement is auditable (A6). */
export async function recordDownload(
  db: Db,
  { project, actor, artifactId }: { project: string; actor: string; artifactId: string },
): Promise<void> {
  await db.query(record, [project, actor, artifactId]);
}

const record = {
  name: "record-download",
  text: "insert into audit (event, project, actor, artifact_id) values ('artifact_downloaded', $1, $2, $3)",
};
