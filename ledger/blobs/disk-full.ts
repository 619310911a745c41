import { ToolError } from "../../toolpacks/contract/tool-error.ts";

/** What the file system says when nothing more fits, in our words; any other error as it is. */
export function asToolError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" ? new ToolError("R-CAP-005", { cause: error }) : error;
}
