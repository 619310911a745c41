import type { Sha256 } from "../toolpacks/contract/ids.ts";
import type { Db } from "./db.ts";

export type StoredTreeFile = { sha256: Sha256; bytes: number; verified: string };

/** The file at a path of the tree with this manifest; undefined if there is none. */
export async function findTreeFile(
  db: Db,
  { treeSha256, path }: { treeSha256: string; path: string },
): Promise<StoredTreeFile | undefined> {
  return (await db.query<StoredTreeFile>(find, [treeSha256, path]))[0];
}

const find = {
  name: "find-tree-file",
  text: `select sha256, tree_files.bytes, verified from tree_files join blobs using (sha256) where tree_sha256 = $1 and path = $2`,
};
