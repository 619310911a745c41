import type { Db } from "../db.ts";
import { amountOf, nothing, type Amount } from "./amount.ts";

const batchSize = 500;

/** Marks artifacts as removed: their ids and links stay, their blobs are theirs no longer. Answers those that were live. */
export async function tombstoneArtifacts(
  db: Db,
  artifactIds: string[],
): Promise<{ artifactId: string; bytes: number }[]> {
  return db.query<{ artifactId: string; bytes: number }>(tombstone, [artifactIds]);
}

// The project is locked first, as whoever ends an attempt does: the trigger that counts needs it after the artifacts.
const tombstone = {
  name: "tombstone-artifacts",
  text: `
with locked as (
  select id from projects where id in (select project from artifacts where artifact_id = any($1)) order by id for update)
update artifacts set tombstoned_at = now() from locked
where artifact_id = any($1) and project = locked.id and tombstoned_at is null
returning artifact_id as "artifactId", bytes`,
};

/** Tombstones the logs of runs that have reached their age. The runs replay as before: a log is no output. */
export async function* tombstoneLogs(db: Db, { logsMs }: { logsMs: number }): AsyncGenerator<Amount> {
  for (;;) {
    const old = await db.query<{ artifactId: string }>(oldLogs, [logsMs, batchSize]);
    if (old.length === 0) return;
    const gone = await tombstoneArtifacts(
      db,
      old.map(({ artifactId }) => artifactId),
    );
    yield amountOf(gone);
  }
}

/** What `tombstoneLogs` would mark now. */
export async function logsToTombstone(db: Db, { logsMs }: { logsMs: number }): Promise<Amount> {
  return (await db.query<Amount>(countLogs, [logsMs]))[0] ?? nothing;
}

// A file that somebody imported as type "log" is an output like any other, and stays.
const isOldLog = `type = 'log' and tombstoned_at is null and created_at < now() - $1 * interval '1 ms'
  and not exists (select from run_outputs o where o.artifact_id = a.artifact_id and o.role <> 'log')`;

const oldLogs = {
  name: "old-logs",
  text: `select artifact_id as "artifactId" from artifacts a where ${isOldLog} order by created_at limit $2`,
};

const countLogs = {
  name: "count-old-logs",
  text: `select count(*), coalesce(sum(bytes), 0)::bigint as bytes from artifacts a where ${isOldLog}`,
};
