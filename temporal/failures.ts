import { ApplicationFailure } from "@temporalio/common";
import { errorCatalogue } from "../toolpacks/contract/errors.ts";
import type { ToolError } from "../toolpacks/contract/tool-error.ts";

/**
 * The only place where a ToolError becomes a failure that Temporal carries: its type is the code. Details stay behind,
 * they belong to the ledger (a failure over 4 KiB is lost during back-off: verified).
 */
export function failureOf(error: ToolError): ApplicationFailure {
  const nonRetryable = errorCatalogue[error.code].outcome !== "retryable_error";
  return ApplicationFailure.create({ message: error.message, type: error.code, nonRetryable });
}
