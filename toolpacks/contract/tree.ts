import { z } from "zod";
import { canonicalBytes } from "./canonical-json.ts";
import { Sha256 } from "./ids.ts";

/** A file of a tree: where it lies in it, and which bytes it has. */
export const TreeFile = z.strictObject({ path: z.string(), sha256: Sha256, bytes: z.int().nonnegative() });
export type TreeFile = z.infer<typeof TreeFile>;

/** The manifest, which is a tree artifact's content: its files by path, so that the same files always are the same tree. */
export function manifestBytesOf(files: readonly TreeFile[]): Uint8Array<ArrayBuffer> {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return canonicalBytes(sorted.map(({ path, sha256, bytes }) => ({ path, sha256, bytes })));
}
