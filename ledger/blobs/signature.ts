import type { BigIntStats } from "node:fs";

/** Names a file as it is now: while this is the same, nobody has written to it. */
export function signatureOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(":");
}
