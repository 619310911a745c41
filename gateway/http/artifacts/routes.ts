import { randomUUID } from "node:crypto";
import { Hono, type Context } from "hono";
import { isLedgerAway } from "../../../ledger/db.ts";
import { storedErrorOf } from "../../../toolpacks/contract/stored-error.ts";
import { isToolError, ToolError } from "../../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../../admission/authenticate.ts";
import { discardRest } from "./discard-rest.ts";
import { createDownloadRoutes, type DownloadRouteDeps } from "./download-routes.ts";
import { refusedRead, saidOverHttp } from "./http-answer.ts";
import { createUploadRoutes, type UploadRouteDeps } from "./upload-routes.ts";

type Env = { Variables: { caller: Caller } };
export type ArtifactRouteDeps = UploadRouteDeps & DownloadRouteDeps;

/** Artifacts over plain HTTP: bytes in and out as streams. Whatever goes wrong is an envelope. */
export function createArtifactRoutes(deps: ArtifactRouteDeps): Hono<Env> {
  const routes = new Hono<Env>();
  routes.route("/", createDownloadRoutes(deps));
  routes.route("/", createUploadRoutes(deps));
  routes.onError((error, c) => refusal(c, toolErrorOf(error, deps.onFault)));
  return routes;
}

async function refusal(c: Context, error: ToolError): Promise<Response> {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (isRead && c.req.path.startsWith("/v1/artifacts/")) return refusedRead("artifact_get", error);
  const { offset } = error.details;
  const headers = {
    ...(error.code === "P-PRECOND-014" && { "upload-offset": JSON.stringify(offset) }),
    ...(!isRead && !(await discardRest(c.req.raw.body)) && { connection: "close" }),
  };
  return saidOverHttp("artifact_import", { kind: "error", error: storedErrorOf(error) }, headers);
}

/** Faults of ours never reach a caller as they are: it gets an id, the operator gets the rest. */
function toolErrorOf(error: unknown, onFault: (error: unknown) => void): ToolError {
  if (isToolError(error)) return error;
  if (isLedgerAway(error)) return new ToolError("R-UPSTREAM-007", { cause: error });
  const correlationId = randomUUID();
  onFault({ correlationId, error });
  return new ToolError("S-TOOL-INTERNAL", { details: { correlation_id: correlationId }, cause: error });
}
