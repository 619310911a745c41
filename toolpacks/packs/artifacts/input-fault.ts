import { ToolError, type Violation } from "../../contract/tool-error.ts";

/** One thing wrong with the input of a tool, beyond what its schema can say. */
export function inputFault(pointer: string, rule: string, message: string): ToolError {
  return inputFaults([{ pointer, rule, message }]);
}

export function inputFaults(violations: Violation[]): ToolError {
  return new ToolError("I-REQ-001", { details: { violations } });
}
