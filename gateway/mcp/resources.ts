import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ReadResourceResult,
  type Resource,
} from "@modelcontextprotocol/server";
import type { BlobStore } from "../../ledger/blobs/store.ts";
import { orFoundBad } from "../../ledger/collect/found-bad.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Grants } from "../../toolpacks/contract/grants.ts";
import { textOf } from "../../toolpacks/contract/harmless-text.ts";
import { ArtifactId, RunId } from "../../toolpacks/contract/ids.ts";
import { mayCall } from "../../toolpacks/contract/may-run.ts";
import { storedErrorOf } from "../../toolpacks/contract/stored-error.ts";
import { isToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../admission/authenticate.ts";
import { viewOf, type DoorDeps } from "../doors/door.ts";

type Deps = {
  ledger: DoorDeps["ledger"] & Pick<Ledger, "artifactBoundary" | "listArtifacts" | "quarantineBlob">;
  ended: DoorDeps["ended"];
  blobs: Pick<BlobStore, "readHead" | "check" | "take">;
  grants(): Grants;
};

const listed = 50;
const previewBytes = 2_048;

export const resourceTemplates = [
  {
    name: "artifact",
    uriTemplate: "helixrun://artifacts/{artifact_id}",
    description: "What is known of an artifact, and the start of its text.",
    mimeType: "application/json",
  },
  {
    name: "run",
    uriTemplate: "helixrun://runs/{run_id}",
    description: "The receipt of a run.",
    mimeType: "application/json",
  },
];

/** Artifacts and runs as MCP resources: metadata and previews, never whole blobs (A3). */
export function createResources(deps: Deps) {
  return {
    /** The newest artifacts; older ones are read by their address. */
    async list(caller: Caller): Promise<Resource[]> {
      if (!mayCall(deps.grants(), caller, { tool: "artifact_list" }).allowed) return [];
      const { project } = caller;
      const asOf = await deps.ledger.artifactBoundary(project, { logs: false });
      const artifacts = await deps.ledger.listArtifacts({ project, asOf, before: null, limit: listed, logs: false });
      return artifacts.map(({ artifactId, type, bytes, label }) => ({
        uri: `helixrun://artifacts/${artifactId}`,
        name: label ?? artifactId,
        description: `${type}, ${bytes} bytes`,
        mimeType: "application/json",
      }));
    },
    async read(caller: Caller, uri: string): Promise<ReadResourceResult> {
      const [, kind = "", id = ""] = /^helixrun:\/\/(artifacts|runs)\/([a-z0-9_]+)$/.exec(uri) ?? [];
      const reading = kind === "artifacts" ? artifact(deps, caller, uri, id) : run(deps, caller, uri, id);
      const found = await reading.catch(refusal);
      if (!found) throw new ResourceNotFoundError(uri); // foreign and unknown look the same
      return found;
    },
  };
}

async function artifact({ ledger, blobs, grants }: Deps, caller: Caller, uri: string, id: string) {
  const artifactId = ArtifactId.safeParse(id);
  if (!artifactId.success || !mayCall(grants(), caller, { tool: "artifact_get" }).allowed) return undefined;
  const found = await ledger.findArtifact({ project: caller.project, artifactId: artifactId.data });
  if (!found) return undefined;
  const { verified: _, createdAt, ...known } = found;
  const contents = [jsonContent(uri, { ...known, createdAt: createdAt.toISOString() })];
  const { head } = await orFoundBad({ ledger, blobs }, found, blobs.readHead(found, previewBytes));
  const preview = textOf(head);
  if (preview !== undefined) contents.push({ uri: `${uri}#preview`, mimeType: "text/plain", text: preview });
  return { contents };
}

async function run(deps: Deps, caller: Caller, uri: string, id: string) {
  const runId = RunId.safeParse(id);
  if (!runId.success || !mayCall(deps.grants(), caller, { door: "run_get" }).allowed) return undefined;
  const found = await deps.ledger.findRun({ project: caller.project, runId: runId.data });
  if (!found) return undefined;
  const view = await viewOf(deps, found);
  return view.kind === "output" ? { contents: [jsonContent(uri, view.output)] } : undefined;
}

/** A read has no envelope: code and fix travel in the protocol's own error. */
function refusal(error: unknown): never {
  if (!isToolError(error)) throw error;
  const stored = storedErrorOf(error);
  throw new ProtocolError(ProtocolErrorCode.InternalError, `${stored.code}: ${stored.message}`, stored);
}

function jsonContent(uri: string, value: object) {
  return { uri, mimeType: "application/json", text: JSON.stringify(value, null, 2) };
}
