-- The spine: what was asked, what may run, what ran, what it made. Canonical bytes are kept exactly as they were hashed.

-- Counters are bumped under the row's lock, which is held until commit: commit order is number order.
create table projects (
  id text primary key,
  opaque text not null unique default substr(replace(gen_random_uuid()::text, '-', ''), 1, 16),
  artifact_seq bigint not null default 0,
  run_seq bigint not null default 0);

create table policies (hash text primary key, bytes bytea not null, first_seen_at timestamptz not null default now());
create table grants (hash text primary key, bytes bytea not null, first_seen_at timestamptz not null default now());
create table activations (
  epoch bigint generated always as identity primary key,
  policy_hash text not null references policies,
  grants_hash text not null references grants,
  activated_at timestamptz not null default now());

create table param_sets (hash text primary key, bytes bytea not null);

create table runs (
  run_id text primary key,
  project text not null references projects,
  tool text not null,
  contract_version text not null,
  tool_version text not null,
  digest text not null,
  policy_hash text not null references policies,
  params_hash text not null references param_sets,
  plan_kind text not null,
  run_seq bigint not null,
  latest_attempt int not null,
  replay_attempt int,
  created_at timestamptz not null default now());
create unique index runs_by_sequence on runs (project, run_seq);

create table attempts (
  run_id text not null references runs,
  attempt int not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  execution_id text,
  opened_by text not null,
  work_order bytea not null,
  deadline timestamptz not null,
  cancel_requested_at timestamptz,
  result bytea,
  error bytea,
  created_at timestamptz not null default now(),
  admitted_at timestamptz,
  ended_at timestamptz,
  checked_at timestamptz not null default now(),
  primary key (run_id, attempt));
create unique index one_open_attempt on attempts (run_id) where state in ('queued', 'running');
create index open_attempts_by_check on attempts (checked_at) where state in ('queued', 'running');

create table calls (
  project text not null,
  call_id uuid not null,
  actor text not null,
  tool text not null,
  fn text not null,
  fingerprint text not null,
  idempotency_key text,
  run_id text,
  attempt int,
  deadline timestamptz not null,
  trace_id uuid not null,
  received_at timestamptz not null default now(),
  resolved_at timestamptz,
  status text,
  code text,
  replayed boolean not null default false,
  primary key (project, call_id));
create index unresolved_calls on calls (run_id, attempt) where resolved_at is null;

create table idempotency_keys (
  project text not null,
  actor text not null,
  tool text not null,
  fn text not null,
  key text not null,
  fingerprint text not null,
  run_id text not null,
  created_at timestamptz not null default now(),
  primary key (project, actor, tool, fn, key));

create table blobs (
  sha256 text primary key,
  bytes bigint not null,
  verified text not null, -- the file's inode and times when its hash was last found right
  stored_at timestamptz not null default now());
-- A blob is in use from the opening of the attempt that brought it until that attempt is final.
create table leases (
  sha256 text not null references blobs,
  run_id text not null,
  attempt int not null,
  until timestamptz not null,
  primary key (sha256, run_id, attempt));

create table artifacts (
  artifact_id text primary key,
  project text not null references projects,
  sha256 text not null references blobs,
  type text not null,
  bytes bigint not null,
  seq bigint not null,
  created_by_run text not null,
  created_at timestamptz not null default now());
create unique index artifacts_by_sequence on artifacts (project, seq);

create table run_inputs (
  run_id text not null references runs,
  role text not null,
  artifact_id text not null references artifacts,
  primary key (run_id, role));
create table run_outputs (
  run_id text not null references runs,
  attempt int not null,
  role text not null,
  artifact_id text not null references artifacts,
  label text not null,
  primary key (run_id, attempt, role));

create table audit (
  seq bigint generated always as identity primary key,
  at timestamptz not null default now(),
  event text not null,
  project text not null,
  actor text not null,
  call_id uuid,
  tool text,
  run_id text,
  attempt int,
  code text);
create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the audit table is append-only';
end $$;
create trigger audit_is_append_only before update or delete or truncate on audit
  for each statement execute function audit_is_append_only();
