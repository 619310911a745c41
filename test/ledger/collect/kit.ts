import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createDiskBlobs } from "../../../ledger/blobs/disk.ts";
import type { BlobStore, StoredBlob } from "../../../ledger/blobs/store.ts";
import { createDb, type Db } from "../../../ledger/db.ts";
import { createLedger, type Ledger } from "../../../ledger/ledger.ts";
import type { Opening } from "../../../ledger/open-attempt.ts";
import { artifactIdOf } from "../../../toolpacks/contract/artifact-id.ts";
import { base32 } from "../../../toolpacks/contract/base32.ts";
import { ArtifactType, CallId, ProjectId, RunId, Sha256 } from "../../../toolpacks/contract/ids.ts";
import { createDatabase, type TestDatabase } from "../../kit/database.ts";

export type Store = Awaited<ReturnType<typeof createStore>>;

/** A ledger and a blob store that belong together, without gateway and worker: their steps are taken one by one. */
export async function createStore() {
  const database: TestDatabase = await createDatabase();
  const folder = await mkdtemp(join(tmpdir(), "helixrun-collect-"));
  const blobs = await createDiskBlobs({ folder, writer: "test" });
  const ledger: Ledger = createLedger({ url: database.url });
  const db: Db = createDb({ url: database.url });
  const hash = sha256Of("policy");
  await ledger.activatePolicy({
    policy: { hash, bytes: Buffer.from("{}") },
    grants: { hash, bytes: Buffer.from("{}") },
  });
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256.slice(2));
  const stepsOf = (content: string) => importSteps({ ledger, blobs, policyHash: hash }, content);
  /** An import from beginning to end, of long ago. */
  const imported = async (content: string) => {
    const steps = stepsOf(content);
    const opened = await steps.open([await steps.keep()]);
    await steps.finalise(opened);
    return { ...steps, opened };
  };
  return {
    database,
    folder,
    blobs,
    ledger,
    db,
    pathOf,
    stepsOf,
    hasFile: (sha256: string) => existsSync(pathOf(sha256)),
    rowOf: async (sha256: string) =>
      (await database.rows("select condemned_at, quarantined_at from blobs where sha256 = $1", [sha256]))[0],
    imported,
    /** A blob that was condemned long ago and that nothing refers to. */
    async condemned(content: string) {
      const made = await imported(content);
      await ledger.tombstoneArtifacts([made.artifactId]);
      await database.rows("update blobs set condemned_at = now() - interval '1 day' where sha256 = $1", [made.sha256]);
      return made;
    },
    /** Makes a blob's file look as if it had been there for long. */
    age: async (sha256: string) => utimes(pathOf(sha256), new Date(0), new Date(0)),
    connect: async () => {
      const client = new pg.Client({ connectionString: database.url });
      client.on("error", () => undefined); // a test that failed leaves it open until its database is dropped
      await client.connect();
      return client;
    },
    collect: (retention: Partial<typeof atOnce> = {}, using: BlobStore = blobs) =>
      ledger.collectGarbage({ blobs: using, retention: { ...atOnce, ...retention }, actor: "test" }),
    async [Symbol.asyncDispose]() {
      await ledger.close();
      await db.close();
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const yearMs = 365 * 86_400_000;

/** Whatever nothing refers to goes; logs stay. The grace is negative, so that files that were made just now are old. */
export const atOnce = { logsMs: yearMs, unreferencedMs: -1_000, graceMs: -1_000 };

export const sha256Of = (content: string): Sha256 => Sha256.parse(createHash("sha256").update(content).digest("hex"));

/** What gateway and worker do for an import, one step at a time. */
function importSteps(
  { ledger, blobs, policyHash }: { ledger: Ledger; blobs: BlobStore; policyHash: Sha256 },
  content: string,
) {
  const project = ProjectId.parse("default");
  const sha256 = sha256Of(content);
  const runId = RunId.parse(`run_${base32(Buffer.from(sha256, "hex"))}`);
  const type = ArtifactType.parse("text");
  const artifactId = artifactIdOf({ project, sha256, type });
  const staged = blobs.stageBytes(Buffer.from(content));
  return {
    sha256,
    runId,
    artifactId,
    staged,
    keep: () => staged.keep(),
    async open(stored: StoredBlob[]) {
      const opened = await ledger.openAttempt(openingOf({ runId, policyHash, blobs: stored }));
      if (!opened || opened === "key_taken") throw new Error("the attempt was not opened");
      return opened;
    },
    async finalise({ attempt }: { attempt: number }) {
      const executionId = randomUUID();
      await ledger.admitAttempt({ runId, attempt, executionId });
      const made = { role: "artifact", label: "imported", artifactId, type, sha256, bytes: content.length };
      return ledger.finaliseAttempt({
        runId,
        attempt,
        executionId,
        state: "succeeded",
        result: Buffer.from("{}"),
        error: null,
        call: { status: "success", code: null },
        outputs: [{ ...made, verified: null }],
        treeFiles: [],
      });
    },
  };
}

function openingOf({ runId, policyHash, blobs }: { runId: RunId; policyHash: Sha256; blobs: StoredBlob[] }): Opening {
  const deadline = new Date(Date.now() + 60_000);
  return {
    call: {
      project: ProjectId.parse("default"),
      callId: CallId.parse(randomUUID()),
      actor: "test",
      tool: "artifact_import",
      fn: "run",
      fingerprint: policyHash,
      key: null,
      runId,
      deadline,
      traceId: randomUUID(),
      receivedAt: new Date(),
    },
    run: {
      runId,
      tool: "artifact_import",
      contractVersion: "v1",
      toolVersion: "1.0.0",
      digest: policyHash,
      policyHash,
      paramsHash: policyHash,
      params: Buffer.from("{}"),
      planKind: "inline",
      inputs: [],
    },
    workOrder: Buffer.from("{}"),
    deadline,
    blobs,
  };
}
