import type { Db } from "../db.ts";

/** Drops leases whose time is over and whose attempt has ended: they should have gone with it. */
export async function dropExpiredLeases(db: Db): Promise<void> {
  await db.query(drop, []);
}

const drop = {
  name: "drop-expired-leases",
  text: `
delete from leases where until < now() and not exists (
  select from attempts o where o.run_id = leases.run_id and o.attempt = leases.attempt and o.state in ('queued', 'running'))`,
};
