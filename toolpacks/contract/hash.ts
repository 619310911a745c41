import { hash } from "node:crypto";

import { canonicalJson } from "./canonical-json.ts";
import { Sha256 } from "./ids.ts";

export function sha256Hex(data: string | Uint8Array): Sha256 {
  return Sha256.parse(hash("sha256", data, "hex"));
}

/** H(x) of every identity recipe: sha256 of the canonical JSON. */
export function hashOf(value: unknown): Sha256 {
  return sha256Hex(canonicalJson(value));
}

/** H(x) as its 32 bytes, for ids. */
export function hashBytesOf(value: unknown): Uint8Array {
  return hash("sha256", canonicalJson(value), "buffer");
}
