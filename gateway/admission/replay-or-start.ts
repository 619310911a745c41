import { setTimeout as pause } from "node:timers/promises";
import { keepAgainIfTaken } from "../../ledger/blobs/keep-again.ts";
import type { BlobStore, StagedBlob, StoredBlob } from "../../ledger/blobs/store.ts";
import type { CallRow } from "../../ledger/calls.ts";
import type { EndedAttempts } from "../../ledger/ended-attempts.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { EngineDoor } from "../../temporal/client-door.ts";
import { isFinal, type OpenState } from "../../toolpacks/contract/states.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { callRowOf } from "./call-row.ts";
import type { KeyedCall } from "./find-key.ts";
import type { Foresight } from "./foresight.ts";
import type { RunOrder } from "./identify.ts";
import type { ReplayLog } from "./replay-log.ts";

/** A call whose run is known: newly identified, or stored under the call's key. */
export type ReadyCall = KeyedCall & {
  run: RunOrder;
  inputsToLink: { role: string; artifactId: string }[];
  staged: StagedBlob[];
};

export type RunAnswer =
  | { kind: "replayed"; result: Uint8Array; succeededAt: Date; outputsGone: boolean }
  | { kind: "ended"; result: string | Uint8Array | null; error: string | Uint8Array | null }
  | { kind: "pending"; state: OpenState }
  | { kind: "key_taken" };

type Deps = {
  ledger: Pick<Ledger, "openAttempt" | "joinAttempt" | "findRun">;
  blobs: Pick<BlobStore, "has">;
  engine: Pick<EngineDoor, "start">;
  ended: EndedAttempts;
  foresight: Pick<Foresight, "replayOf">;
  replays: ReplayLog;
  clock(): number;
  /** How long a caller is kept waiting before it is told to come back; most clients give up at 60 s. */
  windowMs: number;
  runTtlMs(): number;
};

/** Step 10: a run that has succeeded answers from the ledger; else an attempt is opened, or the open one is joined. */
export function createReplayOrStart(deps: Deps) {
  return async function replayOrStart(call: ReadyCall): Promise<RunAnswer> {
    const row = callRowOf(call, call.run.runId);
    const kept = keepOnce(call.staged);
    while (deps.clock() < call.request.constraints.deadline_unix_ms) {
      const answer =
        (await replay(deps, call, row, kept)) ?? (await start(deps, call, row, kept)) ?? (await join(deps, call, row));
      if (answer) return answer;
      await pause(movedOnMs); // the run moved on between two looks: look again
    }
    throw new ToolError("R-TIMEOUT-001", { runId: call.run.runId });
  };
}

const movedOnMs = 5;

type Kept = () => Promise<StoredBlob[]>;

/** Staged bytes go into the store only if the call opens an attempt or the store has lost them. */
function keepOnce(staged: StagedBlob[]): Kept {
  let kept: Promise<StoredBlob[]> | undefined;
  return () => (kept ??= Promise.all(staged.map((blob) => blob.keep())));
}

async function replay(
  { foresight, blobs, replays }: Deps,
  call: ReadyCall,
  row: CallRow,
  kept: Kept,
): Promise<RunAnswer | undefined> {
  const { staged, determinism } = call;
  // What the store lacks is needed whatever the ledger says, to open with or to mend: disk and ledger work at once.
  const keeping = staged.every((blob) => blobs.has(blob)) ? undefined : kept();
  const [found] = await Promise.allSettled([foresight.replayOf(call), keeping]);
  await keeping;
  if (found.status === "rejected") throw found.reason;
  const stored = found.value;
  if (!stored || (stored.outputsGone && determinism === "pure")) return undefined; // what is pure can be made again
  await replays.record({ call: row, attempt: stored.attempt });
  return { kind: "replayed", ...stored };
}

async function start(deps: Deps, call: ReadyCall, row: CallRow, kept: Kept): Promise<RunAnswer | undefined> {
  const { run, inputsToLink: inputs } = call;
  const opened = await deps.ledger.openAttempt({
    call: row,
    run: { ...run, inputs },
    workOrder: run.workOrder(),
    deadline: new Date(Math.min(row.deadline.getTime(), deps.clock() + deps.runTtlMs())),
    blobs: await kept(),
  });
  if (opened === "key_taken") return { kind: "key_taken" };
  if (!opened) return undefined;
  await keepAgainIfTaken(deps.blobs, call.staged);
  const ended = endOf(deps, call, opened.attempt, { mayBeOver: false }); // registered before the start that leads to it
  deps.engine.start({ ...run, ...opened }).catch(() => undefined); // unreachable: it stays queued, the reconciler starts it
  return ended;
}

async function join(deps: Deps, call: ReadyCall, row: CallRow): Promise<RunAnswer | undefined> {
  const joined = await deps.ledger.joinAttempt(row);
  if (!joined) return undefined;
  const ended = await endOf(deps, call, joined.attempt, { mayBeOver: true });
  return joined.cancelling && ended.kind === "ended" ? undefined : ended; // who is being cancelled is not for us: open the next
}

/** Waits for the attempt's end, within the caller's window and deadline. One that others opened may be over already. */
async function endOf(
  deps: Deps,
  call: ReadyCall,
  attempt: number,
  { mayBeOver }: { mayBeOver: boolean },
): Promise<RunAnswer> {
  const { runId } = call.run;
  const deadline = call.request.constraints.deadline_unix_ms;
  const woken = deps.ended.wait({ runId, attempt }, Math.min(deps.windowMs, deadline - deps.clock()));
  const look = async () => {
    const found = await deps.ledger.findRun({ project: call.caller.project, runId, attempt });
    if (!found) throw new Error(`attempt ${attempt} of ${runId} is not in the ledger`);
    return found;
  };
  const early = mayBeOver ? await look() : undefined; // it may have ended before we listened
  if (early && isFinal(early.state)) return { kind: "ended", ...early };
  const ended = await woken;
  if (ended) return { kind: "ended", ...ended };
  const found = await look();
  if (isFinal(found.state)) return { kind: "ended", ...found };
  if (deps.clock() >= deadline) throw new ToolError("R-TIMEOUT-001", { runId });
  return { kind: "pending", state: found.state };
}
