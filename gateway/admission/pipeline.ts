import { randomUUID } from "node:crypto";
import { isLedgerAway } from "../../ledger/db.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Answer } from "../../toolpacks/contract/envelope.ts";
import { RunId } from "../../toolpacks/contract/ids.ts";
import { parseJson } from "../../toolpacks/contract/parse-json.ts";
import { StoredError, storedErrorOf } from "../../toolpacks/contract/stored-error.ts";
import { isToolError, ToolError } from "../../toolpacks/contract/tool-error.ts";
import { answerOf, askedOf, type Asked, type Said } from "../answer.ts";
import type { Caller } from "./authenticate.ts";
import { callRowOf } from "./call-row.ts";
import type { createCanonicalise } from "./canonicalise.ts";
import type { CheckedCall, createCheckEnvelope } from "./check-envelope.ts";
import type { Foresight } from "./foresight.ts";
import type { createFindKey } from "./find-key.ts";
import type { createGateCall } from "./gate-call.ts";
import type { createGatePlan } from "./gate-plan.ts";
import type { createIdentify } from "./identify.ts";
import type { createReplayOrStart, ReadyCall, RunAnswer } from "./replay-or-start.ts";
import type { createResolve } from "./resolve.ts";
import type { createStoredRun } from "./stored-run.ts";
import { validateInput } from "./validate-input.ts";
import { warningsOf } from "./warnings.ts";

export type Steps = {
  checkEnvelope: ReturnType<typeof createCheckEnvelope>;
  gateCall: ReturnType<typeof createGateCall>;
  foresee: Foresight["foresee"];
  findKey: ReturnType<typeof createFindKey>;
  storedRun: ReturnType<typeof createStoredRun>;
  resolve: ReturnType<typeof createResolve>;
  canonicalise: ReturnType<typeof createCanonicalise>;
  gatePlan: ReturnType<typeof createGatePlan>;
  identify: ReturnType<typeof createIdentify>;
  replayOrStart: ReturnType<typeof createReplayOrStart>;
};

type Deps = { steps: Steps; ledger: Pick<Ledger, "refuseCall">; clock(): number; onFault(error: unknown): void };

/** One admission for MCP, HTTP and CLI. Whatever happens, the caller gets one envelope. */
export type Admit = (caller: Caller, raw: unknown) => Promise<Answer>;

export function createPipeline(deps: Deps): Admit {
  return async function admit(caller, raw) {
    const asked = askedOf(raw, deps.clock());
    const said = await admitted(deps, caller, raw, asked);
    return answerOf(asked, said, deps.clock());
  };
}

/** The steps, in the only order that compiles: each takes what the one before gives. Step 1 made the caller. */
async function admitted({ steps, ...deps }: Deps, caller: Caller, raw: unknown, asked: Asked): Promise<Said> {
  await using staged = new AsyncDisposableStack();
  let checked: CheckedCall | undefined;
  try {
    checked = steps.checkEnvelope(caller, raw);
    const gated = steps.gateCall(checked);
    steps.foresee(gated);
    const keyed = await steps.findKey(gated);
    if (keyed.kind === "known") return await answered(steps, await steps.storedRun(keyed), asked);
    const resolved = steps.resolve(keyed.call);
    const valid = validateInput(resolved);
    const canonical = await steps.canonicalise(valid, staged);
    const allowed = steps.gatePlan(canonical);
    const identified = steps.identify(allowed);
    return await answered(steps, identified, asked);
  } catch (error) {
    const refusal = refusalOf(error, deps.onFault);
    if (refusal.runId !== undefined) asked.runId = RunId.parse(refusal.runId);
    if (checked) await recordRefusal(deps, checked, asked.runId, storedErrorOf(refusal));
    return { kind: "error", error: storedErrorOf(refusal) };
  }
}

async function answered(steps: Steps, call: ReadyCall, asked: Asked): Promise<Said> {
  const { replayOrStart, findKey, storedRun } = steps;
  const { runId, toolVersion, digest } = call.run;
  Object.assign(asked, { runId, version: toolVersion, digest, warnings: warningsOf(call) });
  const answer = await replayOrStart(call);
  if (answer.kind === "replayed" && answer.outputsGone) asked.warnings.push(outputsGoneWarning);
  if (answer.kind !== "key_taken") return saidOf(answer, runId);
  const keyed = await findKey(call); // another call took the key while this one was on its way
  if (keyed.kind === "new") throw new Error("an idempotency key was taken and is not there");
  return answered(steps, await storedRun(keyed), asked);
}

const outputsGoneWarning = "This is the stored answer; artifacts that it names have been removed since.";

function saidOf(answer: Exclude<RunAnswer, { kind: "key_taken" }>, runId: RunId): Said {
  if (answer.kind === "pending")
    return { kind: "pending", state: answer.state, next: `Call run_wait with {"run_id":"${runId}"}.` };
  if (answer.kind === "replayed")
    return { kind: "output", output: parseJson(answer.result), replayedFrom: answer.succeededAt };
  const { result, error } = answer;
  if (result) return { kind: "output", output: parseJson(result) };
  return { kind: "error", error: StoredError.parse(parseJson(error ?? "null")) };
}

/** Faults of ours never reach a caller as they are: it gets an id, the operator gets the rest. */
function refusalOf(error: unknown, onFault: (error: unknown) => void): ToolError {
  if (isToolError(error)) return error;
  if (isLedgerAway(error)) return new ToolError("R-UPSTREAM-007", { cause: error });
  const correlationId = randomUUID();
  onFault({ correlationId, error });
  return new ToolError("S-TOOL-INTERNAL", { details: { correlation_id: correlationId }, cause: error });
}

async function recordRefusal(
  { ledger, onFault }: Pick<Deps, "ledger" | "onFault">,
  checked: CheckedCall,
  runId: RunId | null,
  { status, code }: StoredError,
): Promise<void> {
  try {
    await ledger.refuseCall(callRowOf(checked, runId), { status, code });
  } catch (error) {
    onFault(error); // the caller is refused all the same
  }
}
