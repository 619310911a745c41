import { hashOf } from "./hash.ts";
import type { Sha256 } from "./ids.ts";
import type { Json } from "./json.ts";

type Request = { toolId: string; fn: string; input: Json; versionRange: string | null };

/** What an idempotency key stands for: the request as sent, before any build or policy was looked at. No range is null. */
export function fingerprintOf({ toolId, fn, input, versionRange }: Request): Sha256 {
  return hashOf([toolId, fn, input, versionRange]);
}
