import { Sha256 } from "../../../toolpacks/contract/ids.ts";
import { ToolError } from "../../../toolpacks/contract/tool-error.ts";

/** The sha256 that the sender says its bytes have: `?sha256=` in hex, or the Content-Digest of RFC 9530; undefined if it says nothing. */
export function expectedDigestOf(sent: { query: string | undefined; header: string | undefined }): Sha256 | undefined {
  const given = [
    ...(sent.query === undefined ? [] : [ofQuery(sent.query)]),
    ...(sent.header === undefined ? [] : [ofHeader(sent.header)]),
  ];
  if (new Set(given).size > 1) throw wrong("/sha256", "same", "sha256 and Content-Digest say different things.");
  return given[0];
}

/** Refuses bytes that are not those that were meant. */
export function checkDigest(expected: Sha256 | undefined, found: Sha256): void {
  if (expected !== undefined && expected !== found)
    throw wrong("/sha256", "sha256", `The bytes that arrived have the sha256 ${found}.`);
}

function ofQuery(query: string): Sha256 {
  const parsed = Sha256.safeParse(query);
  if (!parsed.success) throw wrong("/sha256", "pattern", "sha256 must be 64 lower-case hex digits.");
  return parsed.data;
}

function ofHeader(header: string): Sha256 {
  const [, text = ""] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]+={0,2}):\s*(?:,|$)/.exec(header) ?? [];
  const bytes = Buffer.from(text, "base64");
  // Another algorithm is not ours to ignore: who sends a digest wants it checked.
  if (bytes.length !== 32) throw wrong("/content-digest", "pattern", "Content-Digest must hold sha-256=:base64:.");
  return Sha256.parse(bytes.toString("hex"));
}

function wrong(pointer: string, rule: string, message: string): ToolError {
  return new ToolError("I-REQ-001", { details: { violations: [{ pointer, rule, message }] } });
}
