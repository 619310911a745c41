import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newCredential } from "../../../../gateway/credentials.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { createHttp, digestOf, errorOf, outputOf, sha256Of, type Imported } from "./http.ts";

let stack: TestStack;
let gateway: Awaited<ReturnType<TestStack["openGateway"]>>;
let http: ReturnType<typeof createHttp>;

const content = randomBytes(1_000_000);
let made: Imported & { run_id: string };

beforeAll(async () => {
  stack = await createStack();
  gateway = await stack.openGateway();
  http = createHttp(gateway.url, stack.token);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});
beforeEach(async () => {
  made = await imported(content);
});

async function imported(bytes: Buffer) {
  const answer = (await http.ask("POST", "/v1/artifacts", {}, bytes)).json() as { run_id: string };
  return { ...outputOf(answer), run_id: answer.run_id };
}
const blobPath = (sha256: string) => join(stack.dataDir, "blobs", sha256.slice(0, 2), sha256.slice(2));
const contentOf = (id: string) => `/v1/artifacts/${id}/content`;

test("an artifact's bytes come back as they were, with their hash, and harmless to a browser (A2, A39)", async () => {
  const reply = await http.ask("GET", contentOf(made.artifact_id));

  expect(reply.status).toBe(200);
  expect(sha256Of(reply.body)).toBe(made.sha256);
  expect(reply.headers).toMatchObject({
    etag: `"${made.sha256}"`,
    "content-length": "1000000",
    "accept-ranges": "bytes",
    "repr-digest": digestOf(content),
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${made.artifact_id}"`,
    "x-content-type-options": "nosniff",
  });
});

test("what is known of an artifact, without its bytes (A3, A39)", async () => {
  const reply = await http.ask("GET", `/v1/artifacts/${made.artifact_id}`);

  expect(reply.json()).toMatchObject({
    status: "success",
    output: { artifact_id: made.artifact_id, sha256: made.sha256, bytes: 1_000_000, created_by_run: made.run_id },
  });
});

test("HEAD tells the same as GET, without the bytes", async () => {
  const [head, whole] = await Promise.all([
    http.ask("HEAD", contentOf(made.artifact_id)),
    http.ask("GET", contentOf(made.artifact_id)),
  ]);

  expect(head.body).toHaveLength(0);
  expect({ ...head.headers, date: "" }).toEqual({ ...whole.headers, date: "" });
});

test.each([
  { asked: "bytes=0-0", from: 0, to: 1 },
  { asked: "bytes=999999-", from: 999_999, to: 1_000_000 },
  { asked: "bytes=300000-700000", from: 300_000, to: 700_001 },
  { asked: "bytes=-5", from: 999_995, to: 1_000_000 },
  { asked: "bytes=5-99999999", from: 5, to: 1_000_000 },
  { asked: "bytes=-99999999", from: 0, to: 1_000_000 },
])("the range $asked is these bytes and no others", async ({ asked, from, to }) => {
  const reply = await http.ask("GET", contentOf(made.artifact_id), { range: asked });

  expect(reply.status).toBe(206);
  expect(reply.headers).toMatchObject({
    "content-range": `bytes ${from}-${to - 1}/1000000`,
    "content-length": String(to - from),
  });
  expect(reply.body.equals(content.subarray(from, to))).toBe(true);
});

test.each(["bytes=1000000-", "bytes=-0"])(
  "the range %s is outside, and the answer says how much there is",
  async (range) => {
    const reply = await http.ask("GET", contentOf(made.artifact_id), { range });

    expect([reply.status, reply.headers["content-range"]]).toEqual([416, "bytes */1000000"]);
  },
);

test.each([
  { what: "several ranges", headers: { range: "bytes=0-1,5-6" } },
  { what: "another unit", headers: { range: "lines=0-1" } },
  { what: "a range that ends before it begins", headers: { range: "bytes=5-1" } },
  { what: "a range of other bytes than these", headers: { range: "bytes=5-9", "if-range": '"abc"' } },
])("$what is answered with all bytes", async ({ headers }) => {
  const reply = await http.ask("GET", contentOf(made.artifact_id), headers);

  expect([reply.status, reply.body.length]).toEqual([200, 1_000_000]);
});

test("who has the bytes already gets nothing, and is told so", async () => {
  const known = await http.ask("GET", contentOf(made.artifact_id), { "if-none-match": `"${made.sha256}"` });
  const resumed = await http.ask("GET", contentOf(made.artifact_id), {
    range: "bytes=5-9",
    "if-range": `"${made.sha256}"`,
  });

  expect([known.status, known.body.length]).toEqual([304, 0]);
  expect([resumed.status, resumed.body.length]).toEqual([206, 5]);
});

test("an artifact of 0 bytes is downloaded as such, and no range of it exists", async () => {
  const { artifact_id: id } = await imported(Buffer.alloc(0));

  const whole = await http.ask("GET", contentOf(id));
  const range = await http.ask("GET", contentOf(id), { range: "bytes=0-" });

  expect([whole.status, whole.headers["content-length"], whole.body.length]).toEqual([200, "0", 0]);
  expect([range.status, range.headers["content-range"]]).toEqual([416, "bytes */0"]);
});

test("foreign, unknown and malformed ids are the same to whoever asks (A5)", async () => {
  const { token } = await newCredential(join(stack.dataDir, "credentials"), { actor: "local", project: "lab-b" });
  const other = createHttp(gateway.url, token);
  const unknown = `art_${"a".repeat(52)}`;

  const replies = await Promise.all([
    other.ask("GET", contentOf(made.artifact_id)),
    other.ask("GET", `/v1/artifacts/${made.artifact_id}`),
    other.ask("GET", `/v1/artifacts/${made.artifact_id}/files/a`),
    http.ask("GET", contentOf(unknown)),
    http.ask("GET", contentOf("art_1")),
    http.ask("GET", "/v1/artifacts/..%2f..%2fcredentials/content"),
    http.ask("GET", `/v1/artifacts/${made.artifact_id}/files/..%2fpostgres.json`),
  ]);

  expect(replies.map((reply) => [reply.status, errorOf(reply).code])).toEqual(
    replies.map(() => [404, "P-PRECOND-001"]),
  );
});

test("a flipped bit is found before the first byte goes out, named with artifact and run, and healed by uploading again", async () => {
  const flipped = Buffer.from(content);
  flipped.writeUInt8(flipped.readUInt8(500_000) ^ 1, 500_000);
  await chmod(blobPath(made.sha256), 0o644);
  await writeFile(blobPath(made.sha256), flipped);

  const bad = await http.ask("GET", contentOf(made.artifact_id), { range: "bytes=0-9" });
  await rm(blobPath(made.sha256), { force: true });
  const gone = await http.ask("GET", contentOf(made.artifact_id));
  const again = await imported(content);
  const healed = await http.ask("GET", contentOf(made.artifact_id));

  expect({ status: bad.status, error: errorOf(bad) }).toMatchObject({
    status: 500,
    error: {
      code: "D-DATA-001",
      details: {
        artifact_id: made.artifact_id,
        made_by_run: made.run_id,
        sha256: made.sha256,
        found: sha256Of(flipped),
      },
    },
  });
  expect(errorOf(gone)).toMatchObject({ code: "D-DATA-001", details: { found: "nothing" } });
  expect(again.artifact_id).toBe(made.artifact_id);
  expect(sha256Of(healed.body)).toBe(made.sha256);
});

test("the files of a tree are had by their paths (A39)", async () => {
  const { artifact_id } = await imported(Buffer.from("a file\n"));
  const tree = await stack.call("artifact_tree", { entries: [{ path: "sub dir/ä.txt", artifact_id }] });
  const { artifact_id: treeId } = outputOf(tree);

  const file = await http.ask("GET", `/v1/artifacts/${treeId}/files/${encodeURIComponent("sub dir")}/%C3%A4.txt`);
  const absent = await http.ask("GET", `/v1/artifacts/${treeId}/files/other`);

  expect([file.status, file.body.toString()]).toEqual([200, "a file\n"]);
  expect([absent.status, errorOf(absent).code]).toEqual([404, "P-PRECOND-001"]);
});

test("who takes bytes away is in the audit (A6)", async () => {
  const { artifact_id } = await imported(randomBytes(10));
  await http.ask("GET", contentOf(artifact_id));
  await http.ask("HEAD", contentOf(artifact_id));

  const rows = await stack.database.rows("select event, project, actor from audit where artifact_id = $1", [
    artifact_id,
  ]);

  expect(rows).toEqual([{ event: "artifact_downloaded", project: "default", actor: "local" }]);
});

test("a receiver that goes away in the middle leaves no open file", async () => {
  const { artifact_id, sha256 } = await imported(randomBytes(30_000_000));
  const asked = get(`${gateway.url}${contentOf(artifact_id)}`, { headers: { authorization: `Bearer ${stack.token}` } });
  const [answer] = (await once(asked, "response")) as [NodeJS.ReadableStream];
  await once(answer, "readable");
  expect(await openFiles(sha256)).toBe(1);

  asked.destroy();

  await expect.poll(() => openFiles(sha256)).toBe(0);
  expect(stack.faults).toEqual([]);
});

async function openFiles(sha256: string): Promise<number> {
  const handles = await readdir("/proc/self/fd");
  const targets = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  return targets.filter((target) => target === blobPath(sha256)).length;
}

test("who may not take bytes away is refused by the grants (A18)", async () => {
  await using strict = await createStack({
    grants: `
version: 1
local: { actor: local, project: default, scopes: [look] }
scopes: { look: { tools: [artifact_get], doors: ["run_*"] } }
`,
  });
  await using itsGateway = await strict.openGateway();
  const looker = createHttp(itsGateway.url, strict.token);
  const id = `art_${"a".repeat(52)}`;

  const [meta, bytes, upload, begin] = await Promise.all([
    looker.ask("GET", `/v1/artifacts/${id}`),
    looker.ask("GET", contentOf(id)),
    looker.ask("POST", "/v1/artifacts", {}, Buffer.from("x")),
    looker.ask("POST", "/v1/uploads"),
  ]);

  expect([meta, bytes, upload, begin].map((reply) => [reply.status, errorOf(reply).code])).toEqual([
    [404, "P-PRECOND-001"],
    [403, "A-AUTH-003"],
    [403, "A-AUTH-003"],
    [403, "A-AUTH-003"],
  ]);
});
