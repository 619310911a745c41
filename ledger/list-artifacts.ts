import type { ArtifactFilter, Boundary, ListedArtifact } from "../toolpacks/contract/artifact-list.ts";
import type { Db, Statement } from "./db.ts";

/**
 * Where a project's artifacts stand at this moment: whatever is made later has a higher number (A15, A16). Logs come
 * with every run, a list's own included: only who asks for them stands at the very last one.
 */
export async function artifactBoundary(db: Db, project: string, { logs }: { logs: boolean }): Promise<Boundary> {
  const [row] = await db.query<Boundary>(boundary, [project, logs]);
  return row ?? { seq: 0, count: 0, createdAt: null };
}

const boundary = {
  name: "artifact-boundary",
  text: `
select case when $2 then artifact_seq else latest_artifact_seq end as seq, artifact_count as count,
  to_char(case when $2 then now() else latest_artifact_at end at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt"
from projects where id = $1`,
};

export type ArtifactPage = ArtifactFilter & { project: string; asOf: Boundary; before: number | null; limit: number };

/** A page of the artifacts up to a boundary, newest first, by number: what is made meanwhile moves nothing (A17). */
export async function listArtifacts(db: Db, page: ArtifactPage): Promise<ListedArtifact[]> {
  const asked = filterNames.filter((name) => page[name] !== undefined && page[name] !== null);
  const values = [page.project, page.asOf.seq, page.asOf.createdAt, page.limit, page.logs];
  return db.query<ListedArtifact>(listBy(asked), [...values, ...asked.map((name) => page[name])]);
}

const filterNames = ["before", "type", "label", "run", "createdAfter", "createdBefore"] as const;
type FilterName = (typeof filterNames)[number];

// Each filter that is asked for is a condition of its own, and one that is not is none: "$1 is null or …" hides from
// PostgreSQL that an index would do.
const filters: Record<FilterName, (value: string) => string> = {
  before: (value) => `a.seq < ${value}`,
  type: (value) => `a.type = ${value}`,
  label: (value) => `a.artifact_id in (select artifact_id from run_outputs where label = ${value})`,
  run: (value) => `a.artifact_id in (select artifact_id from run_outputs where run_id = ${value})`,
  createdAfter: (value) => `a.created_at >= ${value}`,
  createdBefore: (value) => `a.created_at < ${value}`,
};
const valuesBefore = 5;

function listBy(asked: FilterName[]): Statement {
  const conditions = asked.map((name, index) => `\n  and ${filters[name](`$${valuesBefore + 1 + index}`)}`);
  return {
    name: `list-artifacts${asked.map((name) => `-${filterNames.indexOf(name)}`).join("")}`,
    text: `
select a.artifact_id as "artifactId", a.sha256, a.type, a.bytes, a.seq, a.created_at as "createdAt",
  a.created_by_run as "createdByRun", made.label
from artifacts a left join lateral (
  select label from run_outputs o where o.artifact_id = a.artifact_id and o.run_id = a.created_by_run order by attempt desc limit 1) made on true
where a.project = $1 and a.seq <= $2 and a.created_at <= $3::timestamptz and a.tombstoned_at is null and ($5 or a.type <> 'log')${conditions.join("")}
order by a.seq desc limit $4`,
  };
}
