import canonicalize from "canonicalize";

import { jsonSafetyViolations } from "./json-safety.ts";
import { ToolError } from "./tool-error.ts";

const encoder = new TextEncoder();

/**
 * The one text of a JSON value (RFC 8785), whatever the order of its members.
 * Throws `C-CONTRACT-005`, naming every place, for what is not JSON-safe (T16): the canonicaliser alone would drop or convert it.
 */
export function canonicalJson(value: unknown): string {
  const violations = jsonSafetyViolations(value);
  const text = violations.length === 0 ? canonicalize(value) : undefined;
  if (text === undefined)
    throw new ToolError("C-CONTRACT-005", { message: "The value is not JSON-safe.", details: { violations } });
  return text;
}

/** The canonical text as UTF-8, as it is hashed and stored (T18). */
export function canonicalBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return encoder.encode(canonicalJson(value));
}
