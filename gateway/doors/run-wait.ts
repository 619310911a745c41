import { z } from "zod";
import { RunId } from "../../toolpacks/contract/ids.ts";
import { isFinal } from "../../toolpacks/contract/states.ts";
import { runOf, viewOf, type Door } from "./door.ts";
import { RunView } from "./run-view.ts";

const defaultSeconds = 30;
const maxSeconds = 45; // most clients give up at 60

const Input = z.strictObject({
  run_id: RunId,
  wait_s: z.number().min(0).max(maxSeconds).optional().describe(`How long to wait at most; default ${defaultSeconds}.`),
});

export const runWait: Door<z.infer<typeof Input>> = {
  name: "run_wait",
  title: "Wait for a run",
  description: "Waits until a run has ended and shows it; answers pending if it has not ended in time.",
  input: Input,
  output: RunView,
  readOnly: true,
  async open(deps, caller, { run_id, wait_s = defaultSeconds }) {
    const { attempt } = await runOf(deps, caller, run_id);
    const woken = deps.ended.wait({ runId: run_id, attempt }, wait_s * 1_000);
    if (!isFinal((await runOf(deps, caller, run_id)).state)) await woken;
    const run = await runOf(deps, caller, run_id);
    if (isFinal(run.state)) return viewOf(deps, run);
    return { kind: "pending", state: run.state, runId: run_id };
  },
};
