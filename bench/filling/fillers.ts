// SQL that makes rows 1 to $1 of each table; the numbers of runs and artifacts go on from what is there.

type Before = { runs: number; artifacts: number };

const numbers = "generate_series(1, $1::int) as n";
const hash = (of: string) => `encode(sha256(convert_to('${of}' || n, 'utf8')), 'hex')`;
const id = (prefix: string) => `'${prefix}_' || translate(substr(${hash(prefix)}, 1, 52), '0189', 'wxyz')`;
const at = "now() - ($1 - n) * interval '2 s'";
const isLog = "n % 2 = 0";
const someBytes = (length: number) => `convert_to(repeat('x', ${length}), 'utf8')`;
const policy = "(select policy_hash from activations order by epoch desc limit 1)";

const paramSets = () =>
  `insert into param_sets (hash, bytes) select ${hash("params")}, ${someBytes(300)} from ${numbers}`;

const runs = (before: Before) => `
insert into runs (run_id, project, tool, contract_version, tool_version, digest, policy_hash, params_hash, plan_kind, run_seq,
  latest_attempt, replay_attempt, created_at)
select ${id("run")}, 'default', 'artifact_import', 'v1', '1.0.0', ${hash("build")}, ${policy}, ${hash("params")}, 'inline',
  ${before.runs} + n, 1, 1, ${at} from ${numbers}`;

const attempts = () => `
insert into attempts (run_id, attempt, state, execution_id, opened_by, work_order, deadline, result, created_at, admitted_at, ended_at, checked_at)
select ${id("run")}, 1, 'succeeded', gen_random_uuid()::text, 'local', ${someBytes(500)}, ${at}, ${someBytes(250)}, ${at}, ${at}, ${at}, ${at}
from ${numbers}`;

const calls = () => `
insert into calls (project, call_id, actor, tool, fn, fingerprint, run_id, attempt, deadline, trace_id, received_at, resolved_at, status)
select 'default', gen_random_uuid(), 'local', 'artifact_import', 'run', ${hash("asked")}, ${id("run")}, 1, ${at}, gen_random_uuid(), ${at}, ${at},
  'success' from ${numbers}`;

const blobs = () => `
insert into blobs (sha256, bytes, verified, stored_at) select ${hash("blob")}, 237, '1:237:1:1', ${at} from ${numbers}`;

const artifacts = (before: Before) => `
insert into artifacts (artifact_id, project, sha256, type, bytes, seq, created_by_run, created_at)
select ${id("art")}, 'default', ${hash("blob")}, case when ${isLog} then 'log' else 'text' end, 237, ${before.artifacts} + n, ${id("run")}, ${at}
from ${numbers}`;

const outputs = () => `
insert into run_outputs (run_id, attempt, role, artifact_id, label)
select ${id("run")}, 1, case when ${isLog} then 'log' else 'artifact' end, ${id("art")}, 'imported' from ${numbers}`;

const audit = () => `
insert into audit (at, event, project, actor, call_id, tool, run_id, attempt)
select ${at}, 'attempt_opened', 'default', 'local', gen_random_uuid(), 'artifact_import', ${id("run")}, 1 from ${numbers}`;

export const fillers = { param_sets: paramSets, runs, attempts, calls, blobs, artifacts, run_outputs: outputs, audit };
export type FilledTable = keyof typeof fillers;
