import type { BlobStore, StagedBlob } from "../../ledger/blobs/store.ts";
import { orFoundBad } from "../../ledger/collect/found-bad.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ArtifactId } from "../../toolpacks/contract/ids.ts";
import type { Policy } from "../../toolpacks/contract/policy.ts";
import type { Canonicalized, CanonicalizeContext } from "../../toolpacks/contract/tool-definition.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "./authenticate.ts";
import type { Uploads } from "../uploads/uploads.ts";
import type { ImportRoots } from "./import-roots.ts";
import type { StorageQuota } from "./storage-quota.ts";
import { openBeneath } from "./open-beneath.ts";
import type { ValidCall } from "./validate-input.ts";

export type CanonicalCall = ValidCall & Canonicalized & { staged: StagedBlob[] };

type Deps = {
  ledger: Pick<
    Ledger,
    "findArtifact" | "findArtifacts" | "findTreeFile" | "artifactBoundary" | "markVerified" | "quarantineBlob"
  >;
  blobs: BlobStore;
  policy(): Policy;
  roots: ImportRoots;
  quota: StorageQuota;
  uploads: Pick<Uploads, "seal" | "stage">;
};

/**
 * Step 7: the tool says what the call means: canonical params, plan, inputs. What it staged goes onto `stack`, which
 * the pipeline disposes of: a call that is refused or replayed leaves nothing behind.
 */
export function createCanonicalise(deps: Deps) {
  return async function canonicalise(call: ValidCall, stack: AsyncDisposableStack): Promise<CanonicalCall> {
    const staged: StagedBlob[] = [];
    const hold = (blob: StagedBlob) => {
      staged.push(stack.use(blob));
      return { sha256: blob.sha256, bytes: blob.bytes, head: blob.head };
    };
    const context = contextFor(deps, call.caller, hold);
    return { ...call, ...(await call.tool.canonicalize(call.request.input, context)), staged };
  };
}

const treeFileHeadBytes = 4_096;

function contextFor(
  { ledger, blobs, policy, roots, quota, uploads }: Deps,
  caller: Caller,
  hold: (blob: StagedBlob) => Awaited<ReturnType<CanonicalizeContext["stageContent"]>>,
): CanonicalizeContext {
  const { project } = caller;
  const artifact = async (artifactId: ArtifactId) => {
    const found = await ledger.findArtifact({ project, artifactId });
    if (!found) throw new ToolError("P-PRECOND-001", { details: { artifact_id: artifactId } });
    return found;
  };
  return {
    project,
    artifact,
    artifacts: (artifactIds) => ledger.findArtifacts({ project, artifactIds }),
    async treeFile({ artifactId, sha256: treeSha256 }, path) {
      const file = await ledger.findTreeFile({ treeSha256, path });
      if (!file) return undefined;
      const { sha256, bytes } = file;
      const tree = { ...(await artifact(artifactId)), sha256 };
      const { head, verified } = await orFoundBad({ ledger, blobs }, tree, blobs.readHead(file, treeFileHeadBytes));
      if (verified !== file.verified) await ledger.markVerified({ sha256, verified });
      return { sha256, bytes, head };
    },
    snapshot: (of) => ledger.artifactBoundary(project, { logs: of === "artifacts and logs" }),
    async stageFile(root, path) {
      const place = roots.find(policy(), root, path);
      const file = await openBeneath(place.folder, place.below);
      try {
        const { size } = await file.stat();
        if (size > place.maxBytes)
          throw new ToolError("I-REQ-003", {
            message: "The file is larger than its import root allows.",
            details: { bytes: size, max_bytes: place.maxBytes, root: place.root },
          });
        await quota.check(project, size);
        return { ...hold(await blobs.stageFile(file, place.maxBytes)), root: place.root };
      } finally {
        await file.close();
      }
    },
    async stageUpload(uploadId) {
      await quota.check(project, (await uploads.seal(caller, uploadId)).bytes);
      return hold(await uploads.stage(caller, uploadId));
    },
    async stageContent(content) {
      await quota.check(project, content.length);
      return hold(blobs.stageBytes(content));
    },
  };
}
