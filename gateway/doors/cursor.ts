import { z } from "zod";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";

const Position = z.strictObject({ before: z.int().nonnegative() });

/** Where a page ends, as the caller carries it to the next: opaque to it, checked when it comes back. */
export function cursorOf(before: number): string {
  return Buffer.from(JSON.stringify({ before } satisfies z.infer<typeof Position>)).toString("base64url");
}

export function positionOf(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  try {
    return Position.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))).before;
  } catch (cause) {
    const violations = [{ pointer: "/cursor", rule: "cursor", message: "is not a cursor of ours" }];
    throw new ToolError("I-REQ-001", { details: { violations }, cause });
  }
}
