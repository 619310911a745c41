import { artifactIdOf } from "../../toolpacks/contract/artifact-id.ts";
import { ProjectId, type ArtifactId, type Sha256 } from "../../toolpacks/contract/ids.ts";
import type { JsonObject } from "../../toolpacks/contract/json.ts";
import type { DeclaredOutput } from "../../toolpacks/contract/plan.ts";
import type { StoredArtifact } from "../../ledger/artifacts.ts";
import { orFoundBad } from "../../ledger/collect/found-bad.ts";
import type { StagedBlob } from "../../ledger/blobs/store.ts";
import { readWhole } from "../../ledger/blobs/read-whole.ts";
import type { ToolRun } from "../../toolpacks/contract/tool-definition.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
import { manifestBytesOf, type TreeFile } from "../../toolpacks/contract/tree.ts";
import type { Linked } from "../finalise.ts";
import type { RunLog } from "../run-log.ts";
import type { InlineDeps } from "./perform-inline.ts";

/** The narrow view of the world that a built-in tool gets, and what it made through it. */
export function createToolRun(
  { ledger, blobs }: Pick<InlineDeps, "ledger" | "blobs">,
  run: { project: string; params: JsonObject; signal: AbortSignal; log: RunLog },
): { toolRun: ToolRun; made: Linked[] } {
  const made: Linked[] = [];
  const project = ProjectId.parse(run.project);

  const find = async (artifactId: ArtifactId) => {
    const found = await ledger.findArtifact({ project, artifactId });
    if (!found) throw new ToolError("P-PRECOND-001", { details: { artifact_id: artifactId } });
    return found;
  };
  const found = <T>(artifact: StoredArtifact, reading: Promise<T>): Promise<T> =>
    orFoundBad({ ledger, blobs }, artifact, reading);
  const linked = (
    output: DeclaredOutput,
    blob: { sha256: Sha256; bytes: number; verified: string | null; staged?: StagedBlob },
    files: TreeFile[] = [],
  ) => {
    const artifactId = artifactIdOf({ project, sha256: blob.sha256, type: output.type });
    made.push({ ...output, ...blob, artifactId, files });
    return artifactId;
  };
  const toolRun: ToolRun = {
    params: run.params,
    signal: run.signal,
    log: (line) => run.log.line(line),
    artifacts: {
      find,
      findAll: (artifactIds) => ledger.findArtifacts({ project, artifactIds }),
      list: (page) => ledger.listArtifacts({ ...page, project }),
      async readHead(artifactId, maxBytes) {
        const artifact = await find(artifactId);
        const { head, verified } = await found(artifact, blobs.readHead(artifact, maxBytes));
        if (verified !== artifact.verified) await ledger.markVerified({ sha256: artifact.sha256, verified });
        return head;
      },
      async readAll(artifactId, maxBytes) {
        const artifact = await find(artifactId);
        const { sha256, bytes } = artifact;
        if (bytes > maxBytes)
          throw new ToolError("D-DATA-002", { details: { artifact_id: artifactId, bytes, max_bytes: maxBytes } });
        const { content, verified } = await found(artifact, readWhole(blobs, artifact));
        if (verified !== artifact.verified) await ledger.markVerified({ sha256, verified });
        return content;
      },
      async store(output, content) {
        const staged = blobs.stageBytes(content);
        return linked(output, { ...(await staged.keep()), staged });
      },
      async storeTree(output, files) {
        const staged = blobs.stageBytes(manifestBytesOf(files));
        return linked(output, { ...(await staged.keep()), staged }, files);
      },
      link: (output, blob) => linked(output, { ...blob, verified: null }),
    },
  };
  return { toolRun, made };
}
