-- Artifacts made whole: snapshots to list by, trees, tombstones, condemned and quarantined blobs.

-- What lists show: logs do not count here, or listing would change what it lists by its own log. The bytes are of all.
alter table projects
  add column artifact_count bigint not null default 0,
  add column artifact_bytes bigint not null default 0,
  add column latest_artifact_seq bigint not null default 0,
  add column latest_artifact_at timestamptz;

alter table artifacts
  add column generation int not null default 1,
  add column tombstoned_at timestamptz;

update projects set (artifact_count, artifact_bytes, latest_artifact_seq, latest_artifact_at) =
  (select count(*) filter (where type <> 'log'), coalesce(sum(bytes), 0), coalesce(max(seq) filter (where type <> 'log'), 0),
     max(created_at) filter (where type <> 'log')
   from artifacts where project = projects.id);

-- Only rows that were really inserted, revived or tombstoned are seen by these: a repeated import counts nothing.
create function artifacts_came() returns trigger language plpgsql as $$
begin
  update projects set artifact_count = artifact_count + came.n, artifact_bytes = artifact_bytes + came.bytes,
    latest_artifact_seq = greatest(latest_artifact_seq, came.seq), latest_artifact_at = greatest(latest_artifact_at, came.latest)
  from (
    select project, count(*) filter (where type <> 'log') as n, sum(bytes) as bytes, max(seq) filter (where type <> 'log') as seq,
      max(created_at) filter (where type <> 'log') as latest
    from fresh group by project) as came
  where projects.id = came.project;
  return null;
end $$;
create trigger artifacts_came after insert on artifacts referencing new table as fresh
  for each statement execute function artifacts_came();

create function artifacts_changed() returns trigger language plpgsql as $$
begin
  update projects set artifact_count = artifact_count + changed.n, artifact_bytes = artifact_bytes + changed.bytes,
    latest_artifact_seq = greatest(latest_artifact_seq, changed.seq), latest_artifact_at = greatest(latest_artifact_at, changed.latest)
  from (
    select now_.project, max(now_.seq) filter (where now_.type <> 'log') as seq, max(now_.created_at) filter (where now_.type <> 'log') as latest,
      count(*) filter (where now_.tombstoned_at is null and now_.type <> 'log')
        - count(*) filter (where then_.tombstoned_at is null and then_.type <> 'log') as n,
      coalesce(sum(now_.bytes) filter (where now_.tombstoned_at is null), 0)
        - coalesce(sum(then_.bytes) filter (where then_.tombstoned_at is null), 0) as bytes
    from now_ join then_ using (artifact_id) group by now_.project) as changed
  where projects.id = changed.project and (changed.n <> 0 or changed.bytes <> 0);
  return null;
end $$;
create trigger artifacts_changed after update on artifacts referencing old table as then_ new table as now_
  for each statement execute function artifacts_changed();

create index artifacts_by_type on artifacts (project, type, seq);
create index artifacts_by_run on artifacts (project, created_by_run);
create index run_outputs_by_artifact on run_outputs (artifact_id);
create index run_outputs_by_label on run_outputs (label);
create index run_inputs_by_artifact on run_inputs (artifact_id);
create index runs_by_tool on runs (project, tool, run_seq);
create index attempts_that_failed on attempts (state, run_id) where state in ('failed', 'cancelled');

alter table blobs
  add column condemned_at timestamptz,
  add column quarantined_at timestamptz;
create index condemned_blobs on blobs (condemned_at) where condemned_at is not null;
create index leases_by_attempt on leases (run_id, attempt);

-- The files of a tree artifact, by the hash of its manifest: they are in use while the tree is.
create table tree_files (
  tree_sha256 text not null references blobs on delete cascade,
  path text not null,
  sha256 text not null references blobs,
  bytes bigint not null,
  primary key (tree_sha256, path));
create index tree_files_by_blob on tree_files (sha256);

-- Receipts tell who asked; lists of runs tell when.
create index calls_by_run on calls (run_id);

-- Only a live artifact holds on to its blob; the row of a removed one stays, for the runs that made and read it. The
-- constraint decides between a collector and whoever makes an artifact of the same bytes at that moment.
alter table artifacts drop constraint artifacts_sha256_fkey;
alter table artifacts add column live_sha256 text
  generated always as (case when tombstoned_at is null then sha256 end) stored references blobs;
create index artifacts_by_live_blob on artifacts (live_sha256) where live_sha256 is not null;
create index artifacts_by_removed_blob on artifacts (sha256) where tombstoned_at is not null;
create index logs_by_age on artifacts (created_at) where type = 'log' and tombstoned_at is null;

-- When a blob's bytes were last hashed and found right: the scrub takes the oldest first.
alter table blobs add column verified_at timestamptz not null default now();
create index blobs_by_verification on blobs (verified_at) where quarantined_at is null;

-- Who took the bytes of which artifact away, and which were found bad.
alter table audit add column artifact_id text;
