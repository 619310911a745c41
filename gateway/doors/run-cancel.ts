import { z } from "zod";
import { RunId } from "../../toolpacks/contract/ids.ts";
import { isFinal } from "../../toolpacks/contract/states.ts";
import { errorBytesOf } from "../../toolpacks/contract/stored-error.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { runOf, viewOf, type Door } from "./door.ts";
import { RunView } from "./run-view.ts";

const Input = z.strictObject({ run_id: RunId });

export const runCancel: Door<z.infer<typeof Input>> = {
  name: "run_cancel",
  title: "Cancel a run",
  description: "Asks for the end of a run that is queued or running. Calling again later opens a new attempt.",
  input: Input,
  output: RunView,
  readOnly: false,
  async open(deps, caller, { run_id }, mayTouch) {
    const run = await runOf(deps, caller, run_id);
    mayTouch(run.openedBy);
    if (isFinal(run.state)) throw notOpen(run.state, run_id);
    const error = errorBytesOf(new ToolError("P-PRECOND-009"));
    const asked = await deps.ledger.requestCancel({ runId: run_id, actor: caller.actor, error });
    const now = await runOf(deps, caller, run_id);
    if (!asked) throw notOpen(now.state, run_id); // it ended while we asked
    return viewOf(deps, now);
  },
};

function notOpen(state: string, runId: RunId): ToolError {
  return new ToolError("P-PRECOND-005", { message: "The run has ended already.", details: { state }, runId });
}
