import { createHash, randomBytes } from "node:crypto";
import type { BlobStore, StagedBlob } from "../../ledger/blobs/store.ts";
import { asToolError } from "../../ledger/blobs/disk-full.ts";
import { base32 } from "../../toolpacks/contract/base32.ts";
import { UploadId } from "../../toolpacks/contract/ids.ts";
import { isToolError, ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { Caller } from "../admission/authenticate.ts";
import type { Body } from "./append-body.ts";
import { openUploadFiles, type UploadRecord } from "./upload-files.ts";
import { append, inTurn, noUpload, sealedOf, type Append, type Sealed, type Upload } from "./upload.ts";

export type UploadStand = { uploadId: UploadId; offset: number; expiresAt: string };

/** Bytes on their way in. An upload is its owner's alone: others' and unknown ones are the same to a caller. */
export type Uploads = Disposable & {
  begin(owner: Caller): Promise<UploadStand>;
  standOf(owner: Caller, uploadId: string): Promise<UploadStand>;
  /** Writes a body at the end of what is there. One that breaks off leaves what came; the next goes on from there. */
  append(owner: Caller, uploadId: string, at: Append, body: Body): Promise<UploadStand>;
  /** A body in one go: all of it, or nothing. It does not outlive this process. */
  receive(owner: Caller, at: Omit<Append, "offset">, body: Body): Promise<UploadId>;
  /** From now on nothing is appended. */
  seal(owner: Caller, uploadId: string): Promise<Sealed>;
  stage(owner: Caller, uploadId: string): Promise<StagedBlob>;
  remove(owner: Caller, uploadId: string): Promise<void>;
};

type Deps = { folder: string; blobs: Pick<BlobStore, "adopt">; clock?(): number; onFault(error: unknown): void };

const livesMs = 24 * 3_600_000;
const sweepEveryMs = 3_600_000;
const maxPerActor = 16;

export async function createUploads({ folder, blobs, clock = Date.now, onFault }: Deps): Promise<Uploads> {
  const files = await openUploadFiles(folder);
  const uploads = new Map<string, Upload>();
  const isOver = ({ record }: Upload) => Date.parse(record.expires_at) <= clock();
  const isOf = ({ record }: Upload, { actor, project }: Caller) => record.actor === actor && record.project === project;

  const remember = (record: UploadRecord, own: Pick<Upload, "hash" | "resumable">): Upload => {
    const path = files.bytesOf(record.upload_id);
    const fresh = { sealed: undefined, gone: false, stop: new AbortController(), last: Promise.resolve() };
    const upload = { record, path, ...own, ...fresh };
    uploads.set(record.upload_id, upload);
    return upload;
  };
  const create = ({ actor, project }: Caller, resumable: boolean): Upload => {
    const upload_id = UploadId.parse(`upl_${base32(randomBytes(20))}`);
    const record = { upload_id, actor, project, expires_at: new Date(clock() + livesMs).toISOString() };
    return remember(record, { hash: createHash("sha256"), resumable });
  };
  const find = (owner: Caller, uploadId: string): Upload => {
    const found = uploads.get(uploadId);
    if (!found || isOver(found) || !isOf(found, owner)) throw noUpload(uploadId);
    return found;
  };
  const drop = (upload: Upload) =>
    inTurn(upload, async () => {
      upload.gone = true;
      uploads.delete(upload.record.upload_id);
      await files.remove(upload.record.upload_id);
    });
  const orNothing = async <T>(upload: Upload, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      await drop(upload);
      throw asToolError(error);
    }
  };
  /** A blob was made of its bytes, and then the call failed for another reason: they must be sent once more. */
  const unlessMoved = (upload: Upload) => async (error: unknown) => {
    if (!isAbsence(error)) throw error;
    await drop(upload);
    throw noUpload(upload.record.upload_id);
  };
  const standOf = async ({ record }: Upload): Promise<UploadStand> => {
    const { upload_id: uploadId, expires_at: expiresAt } = record;
    const offset = await files.sizeOf(uploadId).catch(() => undefined);
    if (offset === undefined) throw noUpload(uploadId); // removed since it was found
    return { uploadId, offset, expiresAt };
  };
  const seal = async (upload: Upload) => (upload.sealed ??= await sealedOf(upload));
  const sweep = () => Promise.all([...uploads.values()].filter(isOver).map(drop));

  for (const record of files.records) remember(record, { hash: undefined, resumable: true });
  await sweep();
  const sweeping = setInterval(() => void sweep().catch(onFault), sweepEveryMs).unref();
  return {
    async begin(owner) {
      const open = [...uploads.values()].filter((upload) => upload.resumable && isOf(upload, owner));
      if (open.length >= maxPerActor) throw tooMany();
      const upload = create(owner, true);
      return orNothing(upload, async () => {
        await files.create(upload.record.upload_id);
        await files.record(upload.record);
        return standOf(upload);
      });
    },
    standOf: async (owner, uploadId) => standOf(find(owner, uploadId)),
    async append(owner, uploadId, at, body) {
      const upload = find(owner, uploadId);
      try {
        await inTurn(upload, (signal) => append(upload, at, body, signal)).catch(unlessMoved(upload));
      } catch (error) {
        if (isToolError(error) && error.code === "I-REQ-003") await drop(upload); // it could never be completed
        throw error;
      }
      return standOf(upload);
    },
    async receive(owner, at, body) {
      const upload = create(owner, false);
      return orNothing(upload, async () => {
        await files.create(upload.record.upload_id);
        const whole = await inTurn(upload, (signal) => append(upload, { ...at, offset: 0 }, body, signal));
        if (!whole) throw new ToolError("R-TIMEOUT-001", { message: "The body broke off before its end." });
        return upload.record.upload_id;
      });
    },
    async seal(owner, uploadId) {
      const upload = find(owner, uploadId);
      return inTurn(upload, () => seal(upload)).catch(unlessMoved(upload));
    },
    async stage(owner, uploadId) {
      const upload = find(owner, uploadId);
      const adopted = inTurn(upload, async () => blobs.adopt(upload.path, (await seal(upload)).sha256));
      return adopted.catch(unlessMoved(upload));
    },
    remove: async (owner, uploadId) => drop(find(owner, uploadId)),
    [Symbol.dispose]: () => clearInterval(sweeping),
  };
}

const isAbsence = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT";

function tooMany(): ToolError {
  return new ToolError("R-CAP-002", { message: "Too many uploads at once.", details: { max_uploads: maxPerActor } });
}
