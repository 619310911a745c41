import { randomUUID } from "node:crypto";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunId } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { GatedCall } from "./gate-call.ts";

export type KeyedCall = GatedCall & { key: string | null };
export type KnownCall = { kind: "known"; call: KeyedCall; runId: RunId };
export type NewCall = { kind: "new"; call: KeyedCall };

/** Step 4: a key that was used before answers with its stored run, whatever a new build or policy would compute now (C61). */
export function createFindKey({ ledger }: { ledger: Pick<Ledger, "findKey"> }) {
  return async function findKey(gated: GatedCall): Promise<KnownCall | NewCall> {
    const call = { ...gated, key: gated.request.constraints.idempotency_key ?? keyFor(gated) };
    if (call.determinism === "pure" || call.key === null) return { kind: "new", call }; // identity deduplicates
    const { tool_id: tool, fn } = call.request;
    const earlier = await ledger.findKey({ ...call.caller, tool, fn }, call.key);
    if (!earlier) return { kind: "new", call }; // two at once: the unique index decides
    if (earlier.fingerprint !== call.fingerprint) throw new ToolError("P-PRECOND-002", { runId: earlier.runId });
    return { kind: "known", call, runId: earlier.runId };
  };
}

/** Without a key, each call of a tool that is not pure means an effect of its own. */
function keyFor({ determinism }: GatedCall): string | null {
  return determinism === "pure" ? null : randomUUID();
}
