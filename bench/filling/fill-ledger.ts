import pg from "pg";
import { fillers, type FilledTable } from "./fillers.ts";

/**
 * Puts so many runs into the ledger, one artifact each, as if they had been made over the last weeks: half of the
 * artifacts are logs, as in life. Straight by SQL: through the gateway a million of them would take half a day.
 */
export async function fillLedger(url: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("begin; set local session_replication_role = replica"); // what we write holds together unchecked
    const { rows } = await client.query<{ runs: string; artifacts: string }>(advance, [count]);
    const before = { runs: Number(rows[0]?.runs) - count, artifacts: Number(rows[0]?.artifacts) - count };
    await client.query(indexesAre("false"), [tables]);
    for (const table of tables) await client.query(fillers[table](before), [count]);
    await client.query(indexesAre("true"), [tables]);
    await client.query("commit; set maintenance_work_mem = '512MB'");
    for (const table of tables) await client.query(`reindex table ${table}`); // key by key it takes five times as long
    await client.query("vacuum analyze"); // as autovacuum would have long since
    await client.query("checkpoint");
  } finally {
    await client.end();
  }
}

const tables: FilledTable[] = ["param_sets", "runs", "attempts", "calls", "blobs", "artifacts", "run_outputs", "audit"];

const indexesAre = (ready: "true" | "false") =>
  `update pg_index set indisready = ${ready} where indrelid = any($1::regclass[])`;

// The triggers that count are off: their work is done here.
const advance = `
update projects set run_seq = run_seq + $1, artifact_seq = artifact_seq + $1, latest_artifact_seq = artifact_seq + $1 - 1,
  latest_artifact_at = now(), artifact_count = artifact_count + $1 / 2, artifact_bytes = artifact_bytes + 237 * $1
where id = 'default' returning run_seq as runs, artifact_seq as artifacts`;
