import type { Ledger } from "../../ledger/ledger.ts";
import type { Grants } from "../../toolpacks/contract/grants.ts";
import type { ProjectId } from "../../toolpacks/contract/ids.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";

export type StorageQuota = {
  /** Refuses bytes that a project may not store, before the first of them is read. */
  check(project: ProjectId, bytes: number): Promise<void>;
  /** What a project may store besides what it has, and what is said of more; undefined where no quota is set. */
  left(project: ProjectId): Promise<{ bytes: number; refusal(bytes: number): ToolError } | undefined>;
};

type Deps = { ledger: Pick<Ledger, "storageOf">; grants(): Grants };

/** What is imported a second time is refused too: that it adds nothing is known only after it was read. */
export function createStorageQuota({ ledger, grants }: Deps): StorageQuota {
  const left: StorageQuota["left"] = async (project) => {
    const quota = grants().quotas?.default.storage;
    if (quota === undefined) return undefined;
    const used = await ledger.storageOf(project);
    const details = { quota: "quotas.default.storage", quota_bytes: quota, used_bytes: used };
    const refusal = (bytes: number) => new ToolError("P-PRECOND-006", { details: { ...details, bytes } });
    return { bytes: Math.max(0, quota - used), refusal };
  };
  return {
    left,
    async check(project, bytes) {
      const room = await left(project);
      if (room && bytes > room.bytes) throw room.refusal(bytes);
    },
  };
}
