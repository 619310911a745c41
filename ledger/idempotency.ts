import type { RunId, Sha256 } from "../toolpacks/contract/ids.ts";
import type { Db } from "./db.ts";

export type KeyScope = { project: string; actor: string; tool: string; fn: string };

/** The run that a key stands for in its scope, with the request it was first sent with. */
export async function findKey(
  db: Db,
  scope: KeyScope,
  key: string,
): Promise<{ runId: RunId; fingerprint: Sha256 } | undefined> {
  const rows = await db.query<{ runId: RunId; fingerprint: Sha256 }>(find, [
    scope.project,
    scope.actor,
    scope.tool,
    scope.fn,
    key,
  ]);
  return rows[0];
}

const find = {
  name: "find-key",
  text: `select run_id as "runId", fingerprint from idempotency_keys
where project = $1 and actor = $2 and tool = $3 and fn = $4 and key = $5`,
};
