import type { z } from "zod";
import type { EndedAttempts } from "../../ledger/ended-attempts.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { AttemptView } from "../../ledger/runs.ts";
import type { RunId } from "../../toolpacks/contract/ids.ts";
import type { JsonObject } from "../../toolpacks/contract/json.ts";
import type { OpenState } from "../../toolpacks/contract/states.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../admission/authenticate.ts";
import { runViewOf } from "./run-view.ts";

export type DoorDeps = {
  ledger: Pick<
    Ledger,
    | "describeNodes"
    | "findArtifact"
    | "findRun"
    | "linksDown"
    | "linksOfRun"
    | "linksUp"
    | "listRuns"
    | "receiptOf"
    | "requestCancel"
  >;
  ended: EndedAttempts;
};

export type DoorAnswer = { kind: "output"; output: JsonObject } | { kind: "pending"; state: OpenState; runId: RunId };

/** A door onto runs: no identity, no workflow, never replayed, audited when it changes something. */
export type Door<Input> = {
  name: string;
  title: string;
  description: string;
  input: z.ZodType<Input>;
  output: z.ZodType;
  readOnly: boolean;
  /** Whose run it opens onto matters only where it changes something. */
  open(deps: DoorDeps, caller: Caller, input: Input, mayTouch: (owner: string) => void): Promise<DoorAnswer>;
};

/** Foreign and unknown runs give the same answer. */
export async function runOf({ ledger }: DoorDeps, { project }: Caller, runId: RunId): Promise<AttemptView> {
  const run = await ledger.findRun({ project, runId });
  if (!run) throw new ToolError("P-PRECOND-012", { details: { run_id: runId } });
  return run;
}

export async function viewOf({ ledger }: DoorDeps, run: AttemptView): Promise<DoorAnswer> {
  const [links, receipt] = await Promise.all([ledger.linksOfRun(run), ledger.receiptOf(run.runId)]);
  if (!receipt) throw new Error(`${run.runId} has no params in the ledger`);
  return { kind: "output", output: runViewOf(run, links, receipt) };
}
