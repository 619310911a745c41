import { z } from "zod";
import { canonicalBytes } from "./canonical-json.ts";
import { errorCatalogue, outcomeOf } from "./errors.ts";
import type { ToolError } from "./tool-error.ts";

/** An error as an attempt's row keeps it and as callers get it: the code, and what the catalogue says of it. */
export const StoredError = z.strictObject({
  code: z.string(),
  status: z.enum(["retryable_error", "terminal_error", "invalid_request"]),
  message: z.string(),
  details: z.record(z.string(), z.json()),
});
export type StoredError = z.infer<typeof StoredError>;

export function storedErrorOf(error: ToolError): StoredError {
  const { fix, backOffMs } = errorCatalogue[error.code];
  const retryAfterMs = error.retryAfterMs ?? backOffMs;
  const details = { ...error.details, fix, ...(retryAfterMs !== null && { retry_after_ms: retryAfterMs }) };
  return { code: error.code, status: outcomeOf(error.code), message: error.message, details };
}

export function errorBytesOf(error: ToolError): Uint8Array {
  return canonicalBytes(storedErrorOf(error));
}
