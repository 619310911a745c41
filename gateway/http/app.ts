import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { except } from "hono/combine";
import { storedErrorOf } from "../../toolpacks/contract/stored-error.ts";
import { isToolError, ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../admission/authenticate.ts";
import type { Health } from "./health.ts";
import { isLocalRequest } from "./local-request.ts";
import { serveMcp } from "./serve-mcp.ts";

const maxBodyBytes = 1 << 20;
const maxDiscardedBytes = 64 << 20;

type Deps = {
  authenticate(authorization: string | undefined): Promise<Caller>;
  mcp: McpHttpHandler;
  health: Health;
  artifacts: Hono<{ Variables: { caller: Caller } }>;
  operator: Hono<{ Variables: { caller: Caller } }>;
  onFault(error: unknown): void;
};

/** The HTTP face of the gateway: health for anyone on this machine, everything else behind a bearer token. */
export function createApp({
  authenticate,
  mcp,
  health,
  artifacts,
  operator,
  onFault,
}: Deps): Hono<{ Variables: { caller: Caller } }> {
  const app = new Hono<{ Variables: { caller: Caller } }>();
  app.use(async (c, next) => (isLocalRequest(c.req.raw) ? next() : c.text("only local requests are served", 403)));
  app.get("/healthz", async (c) => c.json(await health.report()));

  app.use(async (c, next) => {
    c.set("caller", await authenticate(c.req.header("authorization")));
    health.seen();
    await next();
  });
  app.get("/ping", (c) => c.body(null, 204)); // a stdio proxy says that its client is still there
  app.use("/mcp", except(saysItIsSmall, bodyLimit({ maxSize: maxBodyBytes, onError: (c) => refuseBody(c.req.raw) })));
  app.all("/mcp", (c) => serveMcp(mcp, c.req.raw, c.get("caller")));
  app.route("/v1/operator", operator);
  app.route("/v1", artifacts);

  app.onError((error) => {
    if (isToolError(error)) return refusal(error, 401);
    onFault(error);
    return refusal(new ToolError("S-TOOL-INTERNAL"), 500);
  });
  return app;
}

/** Node holds a body to its announced length. Counting its bytes as they come costs a tenth of a replay (measured). */
function saysItIsSmall({ req }: Context): boolean {
  return Number(req.header("content-length")) <= maxBodyBytes; // without a length: not a number, not small
}

/**
 * The rest of the body is read and thrown away first: a connection that is cut in the middle of a body takes the
 * refusal along with it, and the next call that its client sends on it (verified).
 */
async function refuseBody({ body }: Request): Promise<Response> {
  if (body && !body.locked) await discard(body);
  return refusal(new ToolError("I-REQ-003"), 413);
}

async function discard(body: ReadableStream<Uint8Array>): Promise<void> {
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxDiscardedBytes) return;
  }
}

const headersOf: Record<number, Record<string, string>> = {
  401: { "www-authenticate": 'Bearer realm="helixrun"' },
  413: { connection: "close" },
};

function refusal(error: ToolError, status: number): Response {
  return Response.json({ error: storedErrorOf(error) }, { status, headers: headersOf[status] ?? {} });
}
