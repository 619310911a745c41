import type { Collected } from "../../ledger/collect/collect.ts";
import type { Verified } from "../../ledger/collect/verify.ts";
import type { JsonObject } from "../../toolpacks/contract/json.ts";
import type { OperatorDeps } from "./routes.ts";
import type { Work } from "./stream-work.ts";

type Deps = Pick<OperatorDeps, "ledger" | "blobs">;

/** A collection now, or what one would do. */
export function collectFor({ ledger, blobs }: Deps, { dryRun, actor }: { dryRun: boolean; actor: string }): Work {
  return async function collect(onProgress, signal) {
    const retention = await ledger.activeRetention();
    const report = (sofar: Collected) => onProgress(collectedView(sofar));
    const collected = dryRun
      ? await ledger.previewCollection({ blobs, retention })
      : await ledger.collectGarbage({ blobs, retention, actor, onProgress: report, signal });
    return { dry_run: dryRun, ...collectedView(collected) };
  };
}

/** Hashing of all blobs or of a part: as fast as the disk is, since somebody waits. */
export function verifyFor({ ledger, blobs }: Deps, { fraction }: { fraction: number }): Work {
  return async function verify(onProgress, signal) {
    const report = (sofar: Verified) => onProgress({ verified: sofar.verified, bad: sofar.bad.length });
    const pace = async () => signal.throwIfAborted();
    return { ...(await ledger.verifyBlobs({ blobs, fraction, pace, onProgress: report, signal })) };
  };
}

function collectedView({ logs, condemned, swept, orphans }: Collected): JsonObject {
  return { tombstoned_logs: logs, condemned, swept, orphans };
}
