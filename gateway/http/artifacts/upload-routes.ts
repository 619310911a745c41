import { Hono, type Context } from "hono";
import type { BlobStore } from "../../../ledger/blobs/store.ts";
import type { Answer } from "../../../toolpacks/contract/envelope.ts";
import type { Grants } from "../../../toolpacks/contract/grants.ts";
import { mayCall } from "../../../toolpacks/contract/may-run.ts";
import type { Policy } from "../../../toolpacks/contract/policy.ts";
import { isToolError, ToolError } from "../../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../../admission/authenticate.ts";
import type { Admit } from "../../admission/pipeline.ts";
import type { StorageQuota } from "../../admission/storage-quota.ts";
import { envelopeOf, type EnvelopeDefaults } from "../../mcp/call-tool.ts";
import { uploadLimitOf } from "../../uploads/upload-limit.ts";
import type { Uploads, UploadStand } from "../../uploads/uploads.ts";
import { checkDigest, expectedDigestOf } from "./expected-digest.ts";
import { httpAnswer } from "./http-answer.ts";

export type UploadRouteDeps = {
  admit: Admit;
  defaults: EnvelopeDefaults;
  uploads: Uploads;
  policy(): Policy;
  grants(): Grants;
  quota: StorageQuota;
  blobs: Pick<BlobStore, "makeSureOfRoom">;
  /** Told while bytes come: the stack must not stop as idle. */
  seen(): void;
};

type Env = { Variables: { caller: Caller } };
const tool = "artifact_import";

/** Bytes in: in one go, or as an upload that may be resumed. Both end as an ordinary call of artifact_import. */
export function createUploadRoutes(deps: UploadRouteDeps): Hono<Env> {
  const { uploads } = deps;
  const routes = new Hono<Env>();
  routes.use(async (c, next) => {
    const decision = mayCall(deps.grants(), c.get("caller"), { tool }); // before a byte is taken; admission decides again
    if (!decision.allowed) throw new ToolError("A-AUTH-003", { details: { reasons: decision.reasons } });
    await next();
  });

  routes.post("/artifacts", async (c) => {
    const caller = c.get("caller");
    const expected = digestSentWith(c);
    const uploadId = await uploads.receive(caller, await roomFor(deps, c), c.req.raw.body);
    try {
      checkDigest(expected, (await uploads.seal(caller, uploadId)).sha256);
      return httpAnswer(await admitted(deps, c, uploadId));
    } finally {
      await uploads.remove(caller, uploadId);
    }
  });

  routes.post("/uploads", async (c) => {
    const stand = await uploads.begin(c.get("caller"));
    return c.json(shown(stand), 201, { ...headersOf(stand), location: `/v1/uploads/${stand.uploadId}` });
  });
  // HEAD is served by this route too, without the body.
  routes.get("/uploads/:id", async (c) => {
    const stand = await uploads.standOf(c.get("caller"), c.req.param("id"));
    return c.json(shown(stand), 200, headersOf(stand));
  });
  routes.patch("/uploads/:id", async (c) => {
    const at = { offset: offsetIn(c), ...(await roomFor(deps, c)) };
    const stand = await uploads.append(c.get("caller"), c.req.param("id"), at, c.req.raw.body);
    return c.json(shown(stand), 200, headersOf(stand));
  });
  routes.delete("/uploads/:id", async (c) => {
    await uploads.remove(c.get("caller"), c.req.param("id"));
    return c.body(null, 204);
  });
  routes.post("/uploads/:id/complete", async (c) => {
    const caller = c.get("caller");
    const uploadId = c.req.param("id");
    const expected = digestSentWith(c);
    const { sha256 } = await uploads.seal(caller, uploadId);
    try {
      checkDigest(expected, sha256);
    } catch (error) {
      await uploads.remove(caller, uploadId);
      throw error;
    }
    const answer = await admitted(deps, c, uploadId);
    // What was refused may be completed again, with another type or when the trouble is over.
    if (answer.status === "success" || answer.status === "pending") await removeQuietly(uploads, caller, uploadId);
    return httpAnswer(answer);
  });
  return routes;
}

function admitted({ admit, defaults }: UploadRouteDeps, c: Context<Env>, upload: string): Promise<Answer> {
  const type = c.req.query("type") || undefined;
  const label = c.req.query("label") || undefined;
  const input = { upload, ...(type !== undefined && { type }), ...(label !== undefined && { label }) };
  const caller = c.get("caller");
  return admit(caller, envelopeOf(defaults, caller, { name: tool, arguments: input, meta: undefined }));
}

/** Another call may have completed the same upload at the same time; both got their answer. */
async function removeQuietly(uploads: Uploads, caller: Caller, uploadId: string): Promise<void> {
  await uploads.remove(caller, uploadId).catch((error: unknown) => {
    if (!isToolError(error)) throw error;
  });
}

function digestSentWith(c: Context<Env>) {
  return expectedDigestOf({ query: c.req.query("sha256") || undefined, header: c.req.header("content-digest") });
}

/** How much may come. What cannot be kept is refused before the first byte of it, where the sender says how much it is. */
async function roomFor(deps: UploadRouteDeps, c: Context<Env>) {
  const { makeSureOfRoom } = deps.blobs;
  const length = c.req.header("content-length");
  const declaredBytes = length === undefined ? undefined : Number(length);
  const limit = await uploadLimitOf(deps, c.get("caller").project);
  if (declaredBytes !== undefined && declaredBytes <= limit.bytes) await makeSureOfRoom(declaredBytes);
  return { limit, declaredBytes, makeSureOfRoom, seen: deps.seen };
}

function offsetIn(c: Context<Env>): number {
  const header = c.req.header("upload-offset") ?? "";
  if (/^\d{1,15}$/.test(header)) return Number(header);
  const violation = { pointer: "/upload-offset", rule: "required", message: "Upload-Offset must be a whole number." };
  throw new ToolError("I-REQ-001", { details: { violations: [violation] } });
}

function shown({ uploadId, offset, expiresAt }: UploadStand) {
  return { upload_id: uploadId, offset, expires_at: expiresAt };
}

function headersOf({ offset }: UploadStand): Record<string, string> {
  return { "upload-offset": String(offset), "cache-control": "no-store" };
}
