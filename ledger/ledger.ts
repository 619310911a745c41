import { admitAttempt, endOfAttempt } from "./admit-attempt.ts";
import { findArtifacts, findArtifactsInProjects, markVerified, type ArtifactInProject } from "./artifacts.ts";
import { attemptsToCheck, countOpenAttempts, releaseAttempt, requestCancel } from "./attempts.ts";
import { describeNodes, linksDown, linksUp } from "./lineage.ts";
import { artifactBoundary, listArtifacts } from "./list-artifacts.ts";
import { listRuns } from "./list-runs.ts";
import { receiptOf } from "./receipts.ts";
import { collectGarbage, previewCollection } from "./collect/collect.ts";
import { quarantineBlob } from "./collect/quarantine.ts";
import { activeRetention } from "./collect/retention.ts";
import { tombstoneArtifacts } from "./collect/tombstone.ts";
import { scrubBlobs, verifyBlobs } from "./collect/verify.ts";
import { batched } from "./batched.ts";
import { recordReplays, refuseCall, resolveLateJoiners } from "./calls.ts";
import { createDb, type Db } from "./db.ts";
import { recordDownload } from "./downloads.ts";
import { finaliseAttempt } from "./finalise-attempt.ts";
import { findKey } from "./idempotency.ts";
import { joinAttempt } from "./join-attempt.ts";
import { openAttempt } from "./open-attempt.ts";
import { activatePolicy } from "./policies.ts";
import { findTreeFile } from "./tree-files.ts";
import { storageOf } from "./projects.ts";
import { findReplays, findRun, linksOfRun, orderOfRun } from "./runs.ts";

/** The long-term truth: one method for each thing that can happen to it. Ask for the least: `Pick<Ledger, "findRun">`. */
export type Ledger = ReturnType<typeof createLedger>;

export function createLedger({ url, max, patienceMs }: { url: string; max?: number; patienceMs?: number }) {
  const db = createDb({ url, ...(max !== undefined && { max }), ...(patienceMs !== undefined && { patienceMs }) });
  return {
    ...bind(db, {
      activatePolicy,
      activeRetention,
      admitAttempt,
      artifactBoundary,
      attemptsToCheck,
      collectGarbage,
      countOpenAttempts,
      describeNodes,
      endOfAttempt,
      finaliseAttempt,
      findArtifacts,
      findKey,
      findRun,
      findTreeFile,
      joinAttempt,
      linksDown,
      linksOfRun,
      linksUp,
      listArtifacts,
      listRuns,
      markVerified,
      openAttempt,
      orderOfRun,
      previewCollection,
      quarantineBlob,
      receiptOf,
      recordDownload,
      recordReplays,
      refuseCall,
      releaseAttempt,
      requestCancel,
      resolveLateJoiners,
      scrubBlobs,
      storageOf,
      tombstoneArtifacts,
      verifyBlobs,
    }),
    findArtifact: batched((asked: ArtifactInProject[]) => findArtifactsInProjects(db, asked)),
    findReplay: batched((runIds: string[]) => findReplays(db, runIds)),
    close: () => db.close(),
  };
}

type Bound<Events> = {
  [Name in keyof Events]: Events[Name] extends (db: Db, ...rest: infer Rest) => infer Answer
    ? (...rest: Rest) => Answer
    : never;
};

function bind<Events extends Record<string, (db: Db, ...rest: never[]) => unknown>>(
  db: Db,
  events: Events,
): Bound<Events> {
  const bound: unknown = Object.fromEntries(
    Object.entries(events).map(([name, event]) => [name, event.bind(undefined, db)]),
  );
  return bound as Bound<Events>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- fromEntries forgets the names
}
