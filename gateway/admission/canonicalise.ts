import type { BlobStore, StagedBlob } from "../../ledger/blobs/store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ArtifactId } from "../../toolpacks/contract/ids.ts";
import type { Policy } from "../../toolpacks/contract/policy.ts";
import type { Canonicalized, CanonicalizeContext } from "../../toolpacks/contract/tool-definition.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "./authenticate.ts";
import type { ImportRoots } from "./import-roots.ts";
import { openBeneath } from "./open-beneath.ts";
import type { ValidCall } from "./validate-input.ts";

export type CanonicalCall = ValidCall & Canonicalized & { staged: StagedBlob[] };

type Deps = {
  ledger: Pick<Ledger, "findArtifact">;
  blobs: BlobStore;
  policy(): Policy;
  roots: ImportRoots;
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

function contextFor(
  { ledger, blobs, policy, roots }: Deps,
  { project }: Caller,
  hold: (blob: StagedBlob) => Awaited<ReturnType<CanonicalizeContext["stageContent"]>>,
): CanonicalizeContext {
  return {
    project,
    async artifact(artifactId: ArtifactId) {
      const found = await ledger.findArtifact({ project, artifactId });
      if (!found) throw new ToolError("P-PRECOND-001", { details: { artifact_id: artifactId } });
      return found;
    },
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
        return { ...hold(await blobs.stageFile(file, place.maxBytes)), root: place.root };
      } finally {
        await file.close();
      }
    },
    stageContent: async (content) => hold(blobs.stageBytes(content)),
  };
}
