import type { Db } from "./db.ts";

type Snapshot = { hash: string; bytes: Uint8Array };

/** Stores policy and grants and makes them the active ones, if they are not already. */
export async function activatePolicy(
  db: Db,
  { policy, grants }: { policy: Snapshot; grants: Snapshot },
): Promise<{ epoch: number; changed: boolean }> {
  const [row] = await db.query<{ epoch: number; changed: boolean }>(activate, [
    policy.hash,
    policy.bytes,
    grants.hash,
    grants.bytes,
  ]);
  if (!row) throw new Error("the policy could not be activated");
  return row;
}

const activate = {
  name: "activate-policy",
  text: `
with p as (insert into policies (hash, bytes) values ($1, $2) on conflict do nothing),
g as (insert into grants (hash, bytes) values ($3, $4) on conflict do nothing),
active as (select epoch, policy_hash, grants_hash from activations order by epoch desc limit 1),
next as (
  insert into activations (policy_hash, grants_hash)
  select $1, $3 where not exists (select from active where policy_hash = $1 and grants_hash = $3)
  returning epoch),
audited as (insert into audit (event, project, actor) select 'policy_activated', '', 'operator' from next)
select epoch, true as changed from next union all
select epoch, false from active where not exists (select from next)`,
};
