import { schemaViolations } from "../../toolpacks/contract/schema-violations.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { ResolvedCall } from "./resolve.ts";

/** A call whose input conforms to its tool's schema. */
export type ValidCall = ResolvedCall & { valid: true };

/** Step 6: the input against the tool's own schema, all violations at once (A19, C47, C48). */
export function validateInput(call: ResolvedCall): ValidCall {
  const violations = schemaViolations(call.tool.inputSchema, call.request.input);
  if (violations.length > 0) throw new ToolError("I-REQ-001", { details: { violations } });
  return { ...call, valid: true };
}
