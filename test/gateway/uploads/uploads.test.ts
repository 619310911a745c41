import { link, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createUploads, type Uploads } from "../../../gateway/uploads/uploads.ts";
import { createDiskBlobs } from "../../../ledger/blobs/disk.ts";
import type { BlobStore } from "../../../ledger/blobs/store.ts";
import { sha256Hex } from "../../../toolpacks/contract/hash.ts";
import { ToolError } from "../../../toolpacks/contract/tool-error.ts";
import { caller } from "../admission/steps.ts";

const day = 24 * 3_600_000;
const limit = { bytes: 1_000, refusal: (bytes: number) => new ToolError("I-REQ-003", { details: { bytes } }) };
const room = { declaredBytes: undefined, limit, makeSureOfRoom: async () => undefined, seen: () => undefined };
const bodyOf = (text: string) => new Blob([text]).stream();

let folder: string;
let blobs: BlobStore;
let now: number;
const opened = () => createUploads({ folder: join(folder, "uploads"), blobs, clock: () => now, onFault: fail });
const fail = (fault: unknown) => expect.fail(String(fault));
const left = () => readdir(join(folder, "uploads"));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "helixrun-uploads-"));
  blobs = await createDiskBlobs({ folder: join(folder, "blobs"), writer: "test" });
  now = Date.now();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("after a day an upload is not found any more, and its bytes are removed at the next start", async () => {
  using uploads = await opened();
  const { uploadId } = await uploads.begin(caller);

  now += day - 1;
  expect((await uploads.standOf(caller, uploadId)).offset).toBe(0);
  now += 1;
  await expect(uploads.standOf(caller, uploadId)).rejects.toMatchObject({ code: "P-PRECOND-013" });
  expect(await left()).toHaveLength(2);
  using _next = await opened();
  expect(await left()).toEqual([]);
});

test("what is staged is the uploaded file itself, and removing the upload leaves the blob", async () => {
  using uploads = await opened();
  const uploadId = await uploads.receive(caller, room, bodyOf("hello"));

  await using staged = await uploads.stage(caller, uploadId);
  const stored = await staged.keep();
  await uploads.remove(caller, uploadId);

  expect(stored).toMatchObject({ sha256: sha256Hex("hello"), bytes: 5 });
  expect(await readFile(join(folder, "blobs", stored.sha256.slice(0, 2), stored.sha256.slice(2)), "utf8")).toBe(
    "hello",
  );
  expect(await left()).toEqual([]);
  expect((await blobs.find(stored.sha256))?.verified).toBe(stored.verified); // the first reader need not hash it again
});

test.each([
  { what: "more bytes", again: (uploads: Uploads, id: string) => uploads.append(caller, id, more, bodyOf("and more")) },
  { what: "another completion", again: (uploads: Uploads, id: string) => uploads.stage(caller, id) },
  { what: "the question where it stands", again: (uploads: Uploads, id: string) => uploads.standOf(caller, id) },
])("of an upload that has become a blob nothing is left: $what finds none", async ({ again }) => {
  using uploads = await opened();
  const { uploadId } = await uploads.begin(caller);
  await uploads.append(caller, uploadId, { ...room, offset: 0 }, bodyOf("blob"));
  await using staged = await uploads.stage(caller, uploadId);
  const { sha256, bytes } = await staged.keep();

  await expect(again(uploads, uploadId)).rejects.toMatchObject({ code: "P-PRECOND-013" });

  expect(blobs.has({ sha256, bytes })).toBe(true);
  using _next = await opened();
  expect(await left()).toEqual([]);
});
const more = { ...room, offset: 4 };

test("an upload of which a killed gateway was making a blob takes no more", async () => {
  using uploads = await opened();
  const { uploadId } = await uploads.begin(caller);
  await uploads.append(caller, uploadId, { ...room, offset: 0 }, bodyOf("blob"));
  await link(join(folder, "uploads", `${uploadId}.bytes`), join(folder, "second name"));

  const appended = uploads.append(caller, uploadId, more, bodyOf("and more"));

  await expect(appended).rejects.toMatchObject({ code: "P-PRECOND-014", details: { offset: 4 } });
});

test("the hash of a resumed upload is that of all its bytes, whether it was kept or is made at the end", async () => {
  using first = await opened();
  const { uploadId } = await first.begin(caller);
  await first.append(caller, uploadId, { ...room, offset: 0 }, bodyOf("one "));
  await first.append(caller, uploadId, { ...room, offset: 4 }, bodyOf("two "));
  using second = await opened();
  await second.append(caller, uploadId, { ...room, offset: 8 }, bodyOf("three"));

  expect(await second.seal(caller, uploadId)).toEqual({ sha256: sha256Hex("one two three"), bytes: 13 });
});

test("a disk that others fill while a body comes is noticed before it is full, and nothing is left of the body", async () => {
  using uploads = await opened();
  let askings = 0;
  const makeSureOfRoom = async () => {
    if (++askings > 2) throw new ToolError("R-CAP-005");
  };
  const large = { ...room, limit: { ...limit, bytes: 10 ** 9 }, makeSureOfRoom };

  const parts = Array.from({ length: 5 }, () => new Uint8Array(2 ** 20));

  const receiving = uploads.receive(caller, large, ReadableStream.from(parts));

  await expect(receiving).rejects.toMatchObject({ code: "R-CAP-005" });
  expect(await left()).toEqual([]);
});

test("a body that fails to fit leaves no byte of itself", async () => {
  using uploads = await opened();

  await expect(uploads.receive(caller, room, bodyOf("x".repeat(1_001)))).rejects.toMatchObject({ code: "I-REQ-003" });

  expect(await left()).toEqual([]);
});
