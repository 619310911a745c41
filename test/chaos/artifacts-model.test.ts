import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDiskBlobs } from "../../ledger/blobs/disk.ts";
import type { BlobStore } from "../../ledger/blobs/store.ts";
import { createLedger, type Ledger } from "../../ledger/ledger.ts";
import { describeWith } from "../kit/component.ts";
import { type Installation, startInstallation } from "../kit/installation.ts";
import { createModel } from "./artifacts-model.ts";
import { isFull, tell } from "./rounds.ts";

const milliseconds = isFull ? 120_000 : 15_000;

describeWith("temporal", "eight importers, four listers, a remover and two collectors at once", () => {
  let installation: Installation;
  let ledger: Ledger;
  let stores: BlobStore[];
  beforeAll(async () => {
    installation = await startInstallation();
    ledger = createLedger({ url: await installation.databaseUrl() });
    const folder = installation.blobs;
    stores = await Promise.all(["one", "two"].map((writer) => createDiskBlobs({ folder, writer })));
  });
  afterAll(async () => {
    await ledger.close();
    await installation[Symbol.asyncDispose]();
  });

  test("drop, double, lose and resurrect nothing, and every answer agrees with a model (A17, A39)", async () => {
    const model = createModel(installation, ledger);
    const stop = new AbortController();
    const times = (count: number, work: (signal: AbortSignal) => Promise<void>) =>
      Array.from({ length: count }, () => work(stop.signal));

    const everybody = Promise.all([
      ...times(8, model.importer),
      ...times(4, model.lister),
      ...times(1, model.remover),
      ...stores.map((blobs) => model.collector(blobs, stop.signal)),
    ]);
    await Promise.race([everybody, pause(milliseconds)]);
    stop.abort();
    await everybody;

    tell(`in ${milliseconds / 1_000} s: ${JSON.stringify(model.tally)}`);
    expect(model.wrong.slice(0, 5)).toEqual([]);
    expect(model.tally.swept).toBeGreaterThan(model.tally.removed / 10);
    expect(await afterwards(model.known)).toEqual({ lost: [], resurrected: [] });
  });

  test("and what is left is whole: rows, files and counters agree", async () => {
    const [blobs] = stores;
    const retention = { logsMs: 1e12, unreferencedMs: -1_000, graceMs: -1_000 };
    if (blobs) await ledger.collectGarbage({ blobs, retention, actor: "model" });

    expect(await inconsistencies()).toEqual({
      blobsWithoutFile: [],
      filesWithoutBlob: [],
      badBlobs: [],
      liveWithoutBlob: [],
      openAttempts: [],
      leases: [],
      miscounted: [],
    });
  });

  /** What the model is sure of, against the ledger. */
  async function afterwards(known: ReturnType<typeof createModel>["known"]) {
    const live = await installation.query<{ artifact_id: string }>(
      "select artifact_id from artifacts where tombstoned_at is null",
    );
    const ids = new Set(live.map((row) => row.artifact_id));
    const now = { from: performance.now(), to: performance.now() };
    const all = [...known.values()];
    return {
      lost: all.filter((one) => one.history.isSurelyLive(now) && !ids.has(one.artifactId)),
      resurrected: all.filter((one) => one.history.isSurelyGone(now) && ids.has(one.artifactId)),
    };
  }

  async function inconsistencies() {
    const [blobs] = stores;
    if (!blobs) throw new Error("there is no store");
    const files = new Set((await Array.fromAsync(blobs.list())).flat());
    const rows = (await installation.query<{ sha256: string }>("select sha256 from blobs")).map((row) => row.sha256);
    const { bad } = await ledger.verifyBlobs({ blobs, fraction: 1, pace: async () => undefined });
    return {
      blobsWithoutFile: rows.filter((sha256) => !files.has(sha256)),
      filesWithoutBlob: [...files].filter((sha256) => !rows.includes(sha256)),
      badBlobs: bad,
      liveWithoutBlob: await installation.query(
        "select artifact_id from artifacts left join blobs using (sha256) where tombstoned_at is null and blobs.sha256 is null",
      ),
      openAttempts: await installation.query("select run_id from attempts where ended_at is null"),
      leases: await installation.query("select * from leases"),
      miscounted: await installation.query(`
        select id from projects left join (
          select project, count(*) filter (where type <> 'log') as n, sum(bytes) as weight from artifacts where tombstoned_at is null group by project) as live
          on live.project = projects.id
        where artifact_count <> coalesce(n, 0) or artifact_bytes <> coalesce(weight, 0)`),
    };
  }
});
