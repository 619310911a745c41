import type { ProjectId } from "../../toolpacks/contract/ids.ts";
import type { Policy } from "../../toolpacks/contract/policy.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { StorageQuota } from "../admission/storage-quota.ts";

/** How large an upload may become, and what is said to one that becomes larger. */
export type UploadLimit = { bytes: number; refusal(bytes: number): ToolError };

type Deps = { policy(): Policy; quota: StorageQuota };

/** Asked once for each body: one that does not say how long it is must end where the project's room ends. */
export async function uploadLimitOf({ policy, quota }: Deps, project: ProjectId): Promise<UploadLimit> {
  const [ofImports, left] = [importLimitOf(policy()), await quota.left(project)];
  return left && left.bytes < ofImports.bytes ? left : ofImports;
}

const defaultBytes = 5 * 2 ** 30;

/** As large as a file of the inbox. */
function importLimitOf({ import_roots }: Policy): UploadLimit {
  const max = import_roots.find(({ name }) => name === "inbox")?.max_bytes ?? defaultBytes;
  return { bytes: max, refusal: (bytes) => new ToolError("I-REQ-003", { details: { bytes, max_bytes: max } }) };
}
