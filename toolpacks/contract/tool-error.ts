import { errorCatalogue, type ErrorCode } from "./errors.ts";
import type { JsonObject } from "./json.ts";

/** One thing wrong with a request or a value: where (JSON pointer), which rule, and in words. */
export type Violation = { pointer: string; rule: string; message: string };

type ToolErrorOptions = {
  /** Default: the catalogue's. */
  message?: string | undefined;
  details?: JsonObject | undefined;
  cause?: unknown;
  runId?: string | undefined;
  retryAfterMs?: number | undefined;
};

// The workflow sandbox holds its own copy of the class, so instanceof fails across it; a registered symbol does not.
const brand = Symbol.for("helixrun.ToolError");

/** The one error that callers see; outcome, back-off and fix come from the catalogue by its code. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ErrorCode;
  readonly details: JsonObject;
  readonly runId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly [brand] = true;

  constructor(code: ErrorCode, { message, details = {}, cause, runId, retryAfterMs }: ToolErrorOptions = {}) {
    super(message ?? errorCatalogue[code].message, cause === undefined ? {} : { cause });
    this.code = code;
    this.details = details;
    this.runId = runId;
    this.retryAfterMs = retryAfterMs;
  }
}

export function isToolError(error: unknown): error is ToolError {
  return typeof error === "object" && error !== null && brand in error;
}
