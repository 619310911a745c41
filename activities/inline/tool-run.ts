import { artifactIdOf } from "../../toolpacks/contract/artifact-id.ts";
import { ProjectId, type ArtifactId } from "../../toolpacks/contract/ids.ts";
import type { JsonObject } from "../../toolpacks/contract/json.ts";
import type { ToolRun } from "../../toolpacks/contract/tool-definition.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";
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
  const toolRun: ToolRun = {
    params: run.params,
    signal: run.signal,
    log: (line) => run.log.line(line),
    artifacts: {
      find,
      async readHead(artifactId, maxBytes) {
        const artifact = await find(artifactId);
        const { head, verified } = await blobs.readHead(artifact, maxBytes);
        if (verified !== artifact.verified) await ledger.markVerified({ sha256: artifact.sha256, verified });
        return head;
      },
      link(output, { sha256, bytes }) {
        const artifactId = artifactIdOf({ project, sha256, type: output.type });
        made.push({ ...output, artifactId, sha256, bytes });
        return artifactId;
      },
    },
  };
  return { toolRun, made };
}
