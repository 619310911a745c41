import { z } from "zod";
import { RunId } from "../../toolpacks/contract/ids.ts";
import { runOf, viewOf, type Door } from "./door.ts";
import { RunView } from "./run-view.ts";

const Input = z.strictObject({ run_id: RunId });

export const runGet: Door<z.infer<typeof Input>> = {
  name: "run_get",
  title: "Show a run",
  description: "State, inputs, outputs and result of a run, by its run_id.",
  input: Input,
  output: RunView,
  readOnly: true,
  open: async (deps, caller, { run_id }) => viewOf(deps, await runOf(deps, caller, run_id)),
};
