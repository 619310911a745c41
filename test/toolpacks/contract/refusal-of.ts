import { isToolError, type ToolError } from "../../../toolpacks/contract/tool-error.ts";

/** The ToolError that the act throws; anything else, also success, fails the test. */
export function refusalOf(act: () => unknown): ToolError {
  try {
    act();
  } catch (error) {
    if (isToolError(error)) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Where and by which rule the act is refused, as `/a/0 cycle`. */
export function rulesOf(act: () => unknown): string[] {
  const { violations } = refusalOf(act).details as { violations: { pointer: string; rule: string }[] };
  return violations.map(({ pointer, rule }) => `${pointer} ${rule}`);
}
