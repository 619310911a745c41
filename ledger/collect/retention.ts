import { retentionTimesOf, type Retention, type RetentionTimes } from "../../toolpacks/contract/retention.ts";
import type { Db } from "../db.ts";

/** How long things live by the grants that were activated last. */
export async function activeRetention(db: Db): Promise<RetentionTimes> {
  const [row] = await db.query<{ retention: Retention | null }>(active, []);
  return retentionTimesOf(row?.retention ?? undefined);
}

const active = {
  name: "active-retention",
  text: `select convert_from(grants.bytes, 'utf8')::json -> 'retention' as retention
from activations join grants on grants.hash = grants_hash order by epoch desc limit 1`,
};
