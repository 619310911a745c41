import { Hono, type Context } from "hono";
import { z } from "zod";
import type { BlobStore } from "../../ledger/blobs/store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { errorCatalogue } from "../../toolpacks/contract/errors.ts";
import type { Grants } from "../../toolpacks/contract/grants.ts";
import { mayCall } from "../../toolpacks/contract/may-run.ts";
import { parseJson } from "../../toolpacks/contract/parse-json.ts";
import { storedErrorOf } from "../../toolpacks/contract/stored-error.ts";
import { isToolError, ToolError } from "../../toolpacks/contract/tool-error.ts";
import { violationsOfZod } from "../../toolpacks/contract/zod-violations.ts";
import type { Caller } from "../admission/authenticate.ts";
import { collectFor, verifyFor } from "./work.ts";
import { streamWork, type Work } from "./stream-work.ts";

export type OperatorDeps = {
  ledger: Pick<Ledger, "activeRetention" | "collectGarbage" | "previewCollection" | "verifyBlobs">;
  blobs: BlobStore;
  grants(): Grants;
  /** Told while work goes on: the stack must not stop as idle. */
  seen(): void;
  onFault(error: unknown): void;
};

type Env = { Variables: { caller: Caller } };

const Gc = z.strictObject({ dry_run: z.boolean().default(false) });
const Verify = z.strictObject({ sample: z.union([z.literal("all"), z.number().gt(0).lte(1)]).default("all") });

/** Doors for whoever keeps the installation: over all its projects, by grants, and answered while they work. */
export function createOperatorRoutes(deps: OperatorDeps): Hono<Env> {
  const routes = new Hono<Env>();
  routes.post("/gc", async (c) => {
    gate(deps, c, "artifacts_gc");
    const { dry_run } = await bodyOf(c, Gc);
    return answer(deps, c, collectFor(deps, { dryRun: dry_run, actor: c.get("caller").actor }));
  });
  routes.post("/verify", async (c) => {
    gate(deps, c, "artifacts_verify");
    const { sample } = await bodyOf(c, Verify);
    return answer(deps, c, verifyFor(deps, { fraction: sample === "all" ? 1 : sample }));
  });
  routes.onError((error) => {
    if (!isToolError(error)) deps.onFault(error);
    const refusal = isToolError(error) ? error : new ToolError("S-TOOL-INTERNAL", { cause: error });
    const status = isToolError(error) ? errorCatalogue[error.code].http : 500;
    return Response.json({ error: storedErrorOf(refusal) }, { status });
  });
  return routes;
}

function gate({ grants }: OperatorDeps, c: Context<Env>, door: string): void {
  const decision = mayCall(grants(), c.get("caller"), { door });
  if (!decision.allowed) throw new ToolError("A-AUTH-003", { details: { reasons: decision.reasons } });
}

/** No body is as good as an empty one. */
async function bodyOf<T extends z.ZodType>(c: Context<Env>, schema: T): Promise<z.infer<T>> {
  const parsed = schema.safeParse(parseJson((await c.req.text()) || "{}"));
  if (parsed.success) return parsed.data;
  throw new ToolError("I-REQ-001", { details: { violations: violationsOfZod(parsed.error) } });
}

function answer({ seen, onFault }: OperatorDeps, c: Context<Env>, work: Work): Response {
  const body = streamWork(work, { seen, onFault, gone: c.req.raw.signal });
  return new Response(body, { headers: { "content-type": "application/x-ndjson", "cache-control": "no-store" } });
}
