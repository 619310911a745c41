// What the worker registers: every export is a workflow.
export { run } from "./run.ts";
