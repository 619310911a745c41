import { admitAttempt, endOfAttempt } from "./admit-attempt.ts";
import { findArtifact, markVerified } from "./artifacts.ts";
import { attemptsToCheck, countOpenAttempts, releaseAttempt, requestCancel } from "./attempts.ts";
import { recordReplays, refuseCall, resolveLateJoiners } from "./calls.ts";
import { createDb, type Db } from "./db.ts";
import { finaliseAttempt } from "./finalise-attempt.ts";
import { findKey } from "./idempotency.ts";
import { joinAttempt } from "./join-attempt.ts";
import { openAttempt } from "./open-attempt.ts";
import { activatePolicy } from "./policies.ts";
import { findReplay, findRun, linksOfRun, orderOfRun } from "./runs.ts";

/** The long-term truth: one method for each thing that can happen to it. Ask for the least: `Pick<Ledger, "findRun">`. */
export type Ledger = ReturnType<typeof createLedger>;

export function createLedger({ url, max, patienceMs }: { url: string; max?: number; patienceMs?: number }) {
  const db = createDb({ url, ...(max !== undefined && { max }), ...(patienceMs !== undefined && { patienceMs }) });
  return {
    ...bind(db, {
      activatePolicy,
      admitAttempt,
      attemptsToCheck,
      countOpenAttempts,
      endOfAttempt,
      finaliseAttempt,
      findArtifact,
      findKey,
      findReplay,
      findRun,
      joinAttempt,
      linksOfRun,
      markVerified,
      openAttempt,
      orderOfRun,
      recordReplays,
      refuseCall,
      releaseAttempt,
      requestCancel,
      resolveLateJoiners,
    }),
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
