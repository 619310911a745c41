import type { AttemptState } from "../toolpacks/contract/states.ts";
import type { Db } from "./db.ts";
import { outputsGone } from "./outputs-gone.ts";

/** The stored answer of a run that has succeeded: what a replay says, and whether its outputs can still be had. */
export type Replay = { attempt: number; result: Uint8Array; succeededAt: Date; outputsGone: boolean };

/** The replay statement, look-ups by primary key: only a succeeded run with a stored result replays (T35, A13). */
export async function findReplays(db: Db, runIds: string[]): Promise<(Replay | undefined)[]> {
  const found = await db.query<Replay & { runId: string }>(replays, [runIds]);
  const known = new Map(found.map(({ runId, ...replay }) => [runId, replay]));
  return runIds.map((runId) => known.get(runId));
}

const replays = {
  name: "find-replays",
  text: `select run_id as "runId", attempt, result, ended_at as "succeededAt", ${outputsGone("runs.run_id", "replay_attempt")} as "outputsGone"
from runs join attempts using (run_id)
where runs.run_id = any($1) and attempt = replay_attempt and result is not null`,
};

/** One attempt of a run, as callers see it. */
export type AttemptView = {
  runId: string;
  project: string;
  tool: string;
  contractVersion: string;
  toolVersion: string;
  digest: string;
  policyHash: string;
  paramsHash: string;
  attempt: number;
  state: AttemptState;
  cancelRequested: boolean;
  openedBy: string;
  result: Uint8Array | null;
  error: Uint8Array | null;
  createdAt: Date;
  admittedAt: Date | null;
  endedAt: Date | null;
};

/** A run by its latest attempt (`attempt` null), or by the one asked for. Foreign and unknown runs look the same. */
export async function findRun(
  db: Db,
  { project, runId, attempt = null }: { project: string; runId: string; attempt?: number | null },
): Promise<AttemptView | undefined> {
  return (await db.query<AttemptView>(find, [runId, project, attempt]))[0];
}

const find = {
  name: "find-run",
  text: `select runs.run_id as "runId", project, tool, contract_version as "contractVersion", tool_version as "toolVersion", digest,
  policy_hash as "policyHash", params_hash as "paramsHash", attempt, state, cancel_requested_at is not null as "cancelRequested",
  opened_by as "openedBy", result, error, attempts.created_at as "createdAt", admitted_at as "admittedAt", ended_at as "endedAt"
from runs join attempts using (run_id)
where runs.run_id = $1 and project = $2 and attempt = coalesce($3, latest_attempt)`,
};

export type RunLinks = {
  inputs: { role: string; artifact_id: string }[];
  outputs: { role: string; artifact_id: string; label: string }[];
};

/** What a run read and what one of its attempts made (A35, A36). */
export async function linksOfRun(db: Db, { runId, attempt }: { runId: string; attempt: number }): Promise<RunLinks> {
  const [row] = await db.query<RunLinks>(links, [runId, attempt]);
  return row ?? { inputs: [], outputs: [] };
}

const links = {
  name: "links-of-run",
  text: `select
  (select coalesce(json_agg(json_build_object('role', role, 'artifact_id', artifact_id) order by role), '[]')
   from run_inputs where run_id = $1) as inputs,
  (select coalesce(json_agg(json_build_object('role', role, 'artifact_id', artifact_id, 'label', label) order by role), '[]')
   from run_outputs where run_id = $1 and attempt = $2) as outputs`,
};

/** What a run was asked to do, for opening a further attempt of it with its own build and params. */
export type StoredOrder = {
  tool: string;
  contractVersion: string;
  toolVersion: string;
  digest: string;
  policyHash: string;
  paramsHash: string;
  params: Uint8Array;
  planKind: string;
  workOrder: Uint8Array;
};

export async function orderOfRun(db: Db, runId: string): Promise<StoredOrder | undefined> {
  return (await db.query<StoredOrder>(order, [runId]))[0];
}

const order = {
  name: "order-of-run",
  text: `select tool, contract_version as "contractVersion", tool_version as "toolVersion", digest, policy_hash as "policyHash",
  params_hash as "paramsHash", param_sets.bytes as params, plan_kind as "planKind", work_order as "workOrder"
from runs join attempts using (run_id) join param_sets on param_sets.hash = params_hash
where runs.run_id = $1 and attempt = latest_attempt`,
};
