import type { Db } from "./db.ts";

/** A run read an artifact (`input`) or made one (`output`), under a role. */
export type Link = { kind: "input" | "output"; runId: string; artifactId: string; role: string };

type Ids = { project: string; runIds: string[]; artifactIds: string[] };

/** One step up: what these runs have read, and which runs have made these artifacts. Logs are no lineage. */
export async function linksUp(db: Db, { project, runIds, artifactIds }: Ids): Promise<Link[]> {
  return db.query<Link>(up, [project, runIds, artifactIds]);
}

const up = {
  name: "links-up",
  text: `
select 'input' as kind, run_id as "runId", artifact_id as "artifactId", role
from run_inputs join runs using (run_id) where project = $1 and run_id = any($2)
union
select 'output', run_id, artifact_id, role
from run_outputs join runs using (run_id) where project = $1 and artifact_id = any($3) and role <> 'log'`,
};

/** One step down: what these runs have made, and which runs have read these artifacts. */
export async function linksDown(db: Db, { project, runIds, artifactIds }: Ids): Promise<Link[]> {
  return db.query<Link>(down, [project, runIds, artifactIds]);
}

const down = {
  name: "links-down",
  text: `
select 'output' as kind, run_id as "runId", artifact_id as "artifactId", role
from run_outputs join runs using (run_id) where project = $1 and run_id = any($2) and role <> 'log'
union
select 'input', run_id, artifact_id, role
from run_inputs join runs using (run_id) where project = $1 and artifact_id = any($3)`,
};

export type LineageNode = { id: string; what: string; state: string | null };

/** What the nodes of a lineage are called: a run by its tool and state, an artifact by its type. */
export async function describeNodes(db: Db, { project, runIds, artifactIds }: Ids): Promise<LineageNode[]> {
  return db.query<LineageNode>(describe, [project, runIds, artifactIds]);
}

const describe = {
  name: "describe-nodes",
  text: `
select runs.run_id as id, tool as what, state from runs join attempts on attempts.run_id = runs.run_id and attempt = latest_attempt
where project = $1 and runs.run_id = any($2)
union all
select artifact_id, type, case when tombstoned_at is null then null else 'removed' end from artifacts
where project = $1 and artifact_id = any($3)`,
};
