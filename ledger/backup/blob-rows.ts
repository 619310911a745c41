import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Sha256 } from "../../toolpacks/contract/ids.ts";
import { type BackupManifest, tableFileIn } from "./manifest.ts";
import { bigChunks } from "./measure.ts";

export type BlobRow = { sha256: Sha256; bytes: number; verified: string; quarantined: boolean };

const none = String.raw`\N`;

/** The blobs that the backed up ledger names, from its table file: however many they are, few are in memory. */
export async function* blobRows(
  directory: string,
  tables: BackupManifest["tables"],
): AsyncGenerator<BlobRow, void, undefined> {
  const columns = tables.find(({ name }) => name === "blobs")?.columns ?? [];
  const at = (name: string) => columns.indexOf(name);
  const [sha256, bytes, verified, quarantined] = ["sha256", "bytes", "verified", "quarantined_at"].map(at);
  const valueIn = (values: string[], index: number | undefined) => values[index ?? -1]; // an older level has fewer columns
  const lines = createInterface({ input: createReadStream(tableFileIn(directory, "blobs"), bigChunks) });
  for await (const line of lines) {
    const values = line.split("\t"); // hashes, numbers and times: nothing that COPY would have escaped
    yield {
      sha256: Sha256.parse(valueIn(values, sha256)),
      bytes: Number(valueIn(values, bytes)),
      verified: valueIn(values, verified) ?? "",
      quarantined: (valueIn(values, quarantined) ?? none) !== none,
    };
  }
}

/** The same in groups: one group is worked on at once, and the order is kept. */
export async function* inGroups<T>(source: AsyncIterable<T>, size: number): AsyncGenerator<T[], void, undefined> {
  let group: T[] = [];
  for await (const item of source) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
