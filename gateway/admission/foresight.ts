import type { Ledger } from "../../ledger/ledger.ts";
import type { Replay } from "../../ledger/runs.ts";
import type { CallRequest } from "../../toolpacks/contract/envelope.ts";
import type { RunId } from "../../toolpacks/contract/ids.ts";
import type { CheckedCall } from "./check-envelope.ts";

export type Foresight = {
  /** Asks the ledger for the answer that this question had last time. */
  foresee(call: CheckedCall): void;
  /** The stored answer of the call's run: as foreseen, or looked up now. What was foreseen is used once. */
  replayOf(call: CheckedCall & { run: { runId: RunId } }): Promise<Replay | undefined>;
};

const remembered = 10_000;

/**
 * Agents ask the same again, word for word. Then the ledger is asked for the run of last time at once, beside what
 * the steps ask it: one round trip less to wait for. It only reads: whether the call means that run, and may have
 * its answer, is decided by the steps as ever.
 */
export function createForesight({ ledger }: { ledger: Pick<Ledger, "findReplay"> }): Foresight {
  const lastRun = new Map<string, RunId>();
  const foreseen = new WeakMap<CallRequest, { runId: RunId; replay: Promise<Replay | undefined> }>();
  return {
    foresee(call) {
      const runId = lastRun.get(questionOf(call));
      if (runId === undefined) return;
      const replay = ledger.findReplay(runId);
      replay.catch(() => undefined); // told to whoever asks for it
      foreseen.set(call.request, { runId, replay });
    },
    replayOf(call) {
      const { runId } = call.run;
      const seen = foreseen.get(call.request);
      foreseen.delete(call.request);
      if (seen?.runId === runId) return seen.replay;
      if (lastRun.size >= remembered) lastRun.clear();
      lastRun.set(questionOf(call), runId);
      return ledger.findReplay(runId);
    },
  };
}

const questionOf = ({ caller, fingerprint }: CheckedCall): string => `${caller.project} ${fingerprint}`;
