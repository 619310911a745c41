import type { BlobStore } from "../blobs/store.ts";
import { markVerified } from "../artifacts.ts";
import type { Db } from "../db.ts";
import { nothing, sumOf, type Amount } from "./amount.ts";
import { quarantineBlob, type AffectedArtifact } from "./quarantine.ts";

const pageSize = 200;

type Row = { sha256: string; bytes: number };
type BadBlob = { sha256: string; found: string; artifacts: AffectedArtifact[] };
export type Verified = { verified: Amount; bad: BadBlob[] };

export type Verification = {
  blobs: Pick<BlobStore, "check" | "take">;
  /** Waits after each part that was read, for as long as the speed wants it. */
  pace(bytes: number): Promise<void>;
  onProgress?(sofar: Verified): void;
  signal?: AbortSignal;
};

/** Hashes all blobs, or such a part of them by chance; bad ones are set aside, and a quarantined one that is right again is let out. */
export async function verifyBlobs(db: Db, how: Verification & { fraction: number }): Promise<Verified> {
  return verifyAll(db, how, rowsByChance(db, how.fraction));
}

/** Hashes, oldest verification first, blobs that were not verified for so long, up to so many bytes at a time. */
export async function scrubBlobs(
  db: Db,
  how: Verification & { olderThanMs: number; maxBytes: number },
): Promise<Verified> {
  return verifyAll(db, how, oldestRows(db, how));
}

async function verifyAll(db: Db, how: Verification, rows: AsyncIterable<Row>): Promise<Verified> {
  const sofar: Verified = { verified: nothing, bad: [] };
  for await (const row of rows) {
    how.signal?.throwIfAborted();
    const bad = await verify(db, how, row);
    if (bad) sofar.bad.push(bad);
    sofar.verified = sumOf(sofar.verified, { count: 1, bytes: row.bytes });
    how.onProgress?.(sofar);
  }
  return sofar;
}

async function verify(db: Db, { blobs, pace }: Verification, { sha256 }: Row): Promise<BadBlob | undefined> {
  const { found, verified } = await blobs.check(sha256, pace);
  if (found === sha256 && verified !== null) {
    await markVerified(db, { sha256, verified });
    return undefined;
  }
  const artifacts = await quarantineBlob(db, { blobs, sha256, read: { verified } });
  return artifacts && { sha256, found, artifacts };
}

async function* rowsByChance(db: Db, fraction: number): AsyncGenerator<Row> {
  for (let after = ""; ;) {
    const page = await db.query<Row & { chosen: boolean }>(byChance, [after, pageSize, fraction]);
    yield* page.filter(({ chosen }) => chosen);
    const last = page.at(-1);
    if (!last) return;
    after = last.sha256;
  }
}

async function* oldestRows(
  db: Db,
  { olderThanMs, maxBytes }: { olderThanMs: number; maxBytes: number },
): AsyncGenerator<Row> {
  let bytes = 0;
  for (const row of await db.query<Row>(oldest, [olderThanMs, pageSize])) {
    if (bytes > 0 && bytes + row.bytes > maxBytes) return;
    bytes += row.bytes;
    yield row;
  }
}

const byChance = {
  name: "blobs-by-chance",
  text: "select sha256, bytes, random() < $3 as chosen from blobs where sha256 > $1 order by sha256 limit $2",
};

const oldest = {
  name: "blobs-by-verification",
  text: `select sha256, bytes from blobs
where quarantined_at is null and verified_at < now() - $1 * interval '1 ms' order by verified_at limit $2`,
};
