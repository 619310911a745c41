import type { Ledger } from "../../ledger/ledger.ts";
import { Sha256 } from "../../toolpacks/contract/ids.ts";
import type { KnownCall } from "./find-key.ts";
import type { ReadyCall } from "./replay-or-start.ts";

/** From step 4 straight to step 10: the run that a key stands for, with its own build and params. */
export function createStoredRun({ ledger }: { ledger: Pick<Ledger, "orderOfRun"> }) {
  return async function storedRun({ call, runId }: KnownCall): Promise<ReadyCall> {
    const order = await ledger.orderOfRun(runId);
    if (!order) throw new Error(`a key stands for ${runId}, which is not in the ledger`);
    const hashes = {
      digest: Sha256.parse(order.digest),
      policyHash: Sha256.parse(order.policyHash),
      paramsHash: Sha256.parse(order.paramsHash),
    };
    return {
      ...call,
      run: { ...order, ...hashes, runId, workOrder: () => order.workOrder },
      inputsToLink: [],
      staged: [],
    };
  };
}
