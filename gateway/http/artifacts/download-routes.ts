import { ServerResponse } from "node:http";
import { Hono, type Context } from "hono";
import { z } from "zod";
import type { StoredArtifact } from "../../../ledger/artifacts.ts";
import type { BlobStore } from "../../../ledger/blobs/store.ts";
import { orFoundBad } from "../../../ledger/collect/found-bad.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import type { Grants } from "../../../toolpacks/contract/grants.ts";
import { mayCall } from "../../../toolpacks/contract/may-run.ts";
import { isToolError, ToolError } from "../../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../../admission/authenticate.ts";
import { sendContent, type Content } from "./send-content.ts";
import { saidOverHttp } from "./http-answer.ts";

export type DownloadRouteDeps = {
  ledger: Pick<Ledger, "findArtifact" | "findTreeFile" | "markVerified" | "quarantineBlob" | "recordDownload">;
  blobs: Pick<BlobStore, "open" | "check" | "take">;
  grants(): Grants;
  /** Told while bytes go: the stack must not stop as idle. */
  seen(): void;
  onFault(error: unknown): void;
};

/** What node's HTTP server gives along with a request. */
const Served = z.object({ outgoing: z.instanceof(ServerResponse) });

type Env = { Variables: { caller: Caller } };

/** What is known of artifacts, and their bytes. Doors: no run, no identity; who takes bytes away is in the audit (A6). */
export function createDownloadRoutes(deps: DownloadRouteDeps): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get("/artifacts/:id", async (c) => {
    gate(deps, c, { tool: "artifact_get" });
    const { artifactId, sha256, bytes, type, createdAt, createdByRun } = await found(deps, c);
    const output = { artifact_id: artifactId, sha256, bytes, type, created_at: createdAt.toISOString() };
    return saidOverHttp("artifact_get", { kind: "output", output: { ...output, created_by_run: createdByRun } });
  });
  routes.get("/artifacts/:id/content", (c) => download(deps, c, async (artifact) => artifact));
  routes.get("/artifacts/:id/files/:path{.+}", (c) =>
    download(deps, c, async ({ sha256: treeSha256, artifactId }) => {
      const path = c.req.param("path");
      const file = await deps.ledger.findTreeFile({ treeSha256, path });
      if (!file) throw new ToolError("P-PRECOND-001", { details: { artifact_id: artifactId, path } });
      return file;
    }),
  );
  return routes;
}

type Blob = Pick<StoredArtifact, "sha256" | "bytes" | "verified">;

async function download(
  deps: DownloadRouteDeps,
  c: Context<Env>,
  blobOf: (artifact: StoredArtifact) => Promise<Blob>,
): Promise<Response> {
  gate(deps, c, { door: "artifact_content" });
  const artifact = await found(deps, c);
  const blob = await blobOf(artifact);
  const { actor, project } = c.get("caller");
  const content: Content = {
    name: artifact.artifactId,
    sha256: blob.sha256,
    bytes: blob.bytes,
    open: () => openRight(deps, c, artifact, blob),
    leaving: () => deps.ledger.recordDownload({ project, actor, artifactId: artifact.artifactId }),
    seen: deps.seen,
    onFault: deps.onFault,
  };
  return sendContent(c.req.raw, Served.parse(c.env).outgoing, content);
}

/** The bytes, found right; else the error names the artifact and the run that made it. */
async function openRight({ ledger, blobs }: DownloadRouteDeps, c: Context<Env>, artifact: StoredArtifact, blob: Blob) {
  const opening = blobs.open(blob).catch(async (error: unknown) => {
    if (isToolError(error)) await found({ ledger }, c); // it may have been removed since we looked: then it is simply not there
    throw error;
  });
  const { file, verified } = await orFoundBad({ ledger, blobs }, { ...artifact, sha256: blob.sha256 }, opening);
  if (verified !== blob.verified) await ledger.markVerified({ sha256: blob.sha256, verified });
  return file;
}

/** Foreign, removed, malformed and unknown ids give the same answer. */
async function found({ ledger }: Pick<DownloadRouteDeps, "ledger">, c: Context<Env>): Promise<StoredArtifact> {
  const artifactId = c.req.param("id") ?? "";
  const artifact = await ledger.findArtifact({ project: c.get("caller").project, artifactId });
  if (!artifact) throw new ToolError("P-PRECOND-001", { details: { artifact_id: artifactId } });
  return artifact;
}

function gate({ grants }: DownloadRouteDeps, c: Context<Env>, target: { tool: string } | { door: string }): void {
  const decision = mayCall(grants(), c.get("caller"), target);
  if (!decision.allowed) throw new ToolError("A-AUTH-003", { details: { reasons: decision.reasons } });
}
