import { z } from "zod";
import { hashOf } from "../../contract/hash.ts";
import type { JsonObject } from "../../contract/json.ts";
import { inputFault } from "./input-fault.ts";

const Cursor = z.strictObject({ position: z.record(z.string(), z.json()), check: z.string() });

/** Where a page begins, as the caller carries it to the next call: opaque to it, and good for the same question only. */
export function cursorOf(scope: string, position: JsonObject): string {
  return Buffer.from(JSON.stringify({ position, check: checkOf(scope, position) })).toString("base64url");
}

/** What a cursor says; `I-REQ-001` if it is none of ours, or of another project, other filters or another tree. */
export function positionOf<Position extends JsonObject>(
  scope: string,
  cursor: string,
  schema: z.ZodType<Position>,
): Position {
  const parsed = Cursor.safeParse(jsonIn(cursor));
  const position = schema.safeParse(parsed.data?.position);
  if (!parsed.success || !position.success || parsed.data.check !== checkOf(scope, position.data))
    throw foreignCursor();
  return position.data;
}

export function foreignCursor() {
  return inputFault("/cursor", "cursor", "is not a cursor of this list: leave it out to begin again.");
}

/** Not a secret: a cursor opens nothing that its caller may not see. It only keeps pages of one list together. */
function checkOf(scope: string, position: JsonObject): string {
  return hashOf([scope, position]).slice(0, 32);
}

function jsonIn(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
