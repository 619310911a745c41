import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mayMount } from "../../../kit/may-mount.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { createHttp, digestOf, errorOf, outputOf, sha256Of } from "./http.ts";

const policy = `
version: 1
tools: { allow: ["*"] }
import_roots: [{ name: inbox, path: "data:inbox", max_bytes: "8MiB" }]
`;
let stack: TestStack;
let gateway: Awaited<ReturnType<TestStack["openGateway"]>>;
let http: ReturnType<typeof createHttp>;

beforeAll(async () => {
  stack = await createStack({ policy });
  gateway = await stack.openGateway();
  http = createHttp(gateway.url, stack.token);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const leftOvers = async () => [
  ...(await readdir(join(stack.dataDir, "uploads"))),
  ...(await readdir(join(stack.dataDir, "blobs", "tmp", "gateway"))),
];
const artifacts = async () =>
  (await stack.database.rows<{ n: number }>("select count(*)::int as n from artifacts"))[0]?.n;

test("bytes that are uploaded become an artifact by an ordinary run, in the ordinary envelope (A1, A8)", async () => {
  const content = randomBytes(3_000_000);

  const reply = await http.ask("POST", "/v1/artifacts?label=noise", { "content-digest": digestOf(content) }, content);

  expect(reply.status).toBe(200);
  expect(reply.json()).toMatchObject({ status: "success", run_id: expect.stringMatching(/^run_/), warnings: [] });
  expect(outputOf(reply.json())).toMatchObject({ sha256: sha256Of(content), bytes: 3_000_000, label: "noise" });
  expect(await leftOvers()).toEqual([]);
});

test("the same bytes uploaded, imported from a path and given inline are one run (A8, A14)", async () => {
  await writeFile(join(stack.inbox, "same.txt"), "the same bytes\n");

  const byPath = await stack.call("artifact_import", { path: "same.txt" });
  const inline = await stack.call("artifact_import", { content: "the same bytes\n" });
  const uploaded = (await http.ask("POST", "/v1/artifacts", {}, Buffer.from("the same bytes\n"))).json();

  expect(inline.run_id).toBe(byPath.run_id);
  expect(uploaded).toMatchObject({ run_id: byPath.run_id, provenance: { replayed: true } });
  expect(outputOf(uploaded)).toEqual(outputOf(byPath));
});

test("an upload without bytes is an artifact of 0 bytes", async () => {
  const reply = await http.ask("POST", "/v1/artifacts?type=text");

  expect(outputOf(reply.json())).toMatchObject({ bytes: 0, sha256: sha256Of(""), type: "text" });
});

test.each([
  { what: "a sha256 of other bytes", path: `/v1/artifacts?sha256=${sha256Of("other")}`, header: {} },
  { what: "a Content-Digest of other bytes", path: "/v1/artifacts", header: { "content-digest": digestOf("other") } },
  { what: "a malformed sha256", path: "/v1/artifacts?sha256=ABC", header: {} },
  { what: "a digest by another algorithm", path: "/v1/artifacts", header: { "content-digest": "md5=:AAAA:" } },
  {
    what: "two digests that differ",
    path: `/v1/artifacts?sha256=${sha256Of("wrong bytes")}`,
    header: { "content-digest": digestOf("other") },
  },
])("with $what nothing is kept (A14)", async ({ path, header }) => {
  const before = await artifacts();

  const reply = await http.ask("POST", path, header, Buffer.from("wrong bytes"));

  expect({ status: reply.status, code: errorOf(reply).code }).toEqual({ status: 400, code: "I-REQ-001" });
  expect([await artifacts(), await leftOvers()]).toEqual([before, []]);
});

test.each([
  { what: "says so beforehand", headers: {} },
  { what: "only turns out to be so", headers: { "transfer-encoding": "chunked" } },
])("a body that is too large and $what is refused, and nothing is kept (A5)", async ({ headers }) => {
  const reply = await http.ask("POST", "/v1/artifacts", headers, Buffer.alloc(9 * 2 ** 20));

  expect({ status: reply.status, error: errorOf(reply) }).toMatchObject({
    status: 413,
    error: { code: "I-REQ-003", details: { max_bytes: 8 * 2 ** 20 } },
  });
  expect(await leftOvers()).toEqual([]);
});

test("a connection that is cut in the middle of an upload in one go leaves nothing", async () => {
  const before = await artifacts();

  await http.cut(["POST", "/v1/artifacts", {}], {
    sent: randomBytes(2_000_000),
    promised: 5_000_000,
    arrived: async () => {
      await expect.poll(leftOvers).toHaveLength(1);
    },
  });

  await expect.poll(leftOvers).toEqual([]);
  expect(await artifacts()).toBe(before);
  expect(stack.faults).toEqual([]);
});

test("the pipeline judges an upload as it judges any import (A18, A19)", async () => {
  const wrongType = await http.ask("POST", "/v1/artifacts?type=Not%20A%20Type", {}, Buffer.from("x"));

  expect({ status: wrongType.status, error: errorOf(wrongType) }).toMatchObject({
    status: 400,
    error: { code: "I-REQ-001", details: { violations: [expect.objectContaining({ pointer: "/type" })] } },
  });
  expect(await leftOvers()).toEqual([]);
});

test("without a token nothing is taken", async () => {
  const stranger = createHttp(gateway.url, "hx_of_nobody_at_all");

  const replies = await Promise.all([
    stranger.ask("POST", "/v1/artifacts", {}, Buffer.from("x")),
    stranger.ask("POST", "/v1/uploads"),
    stranger.ask("GET", `/v1/artifacts/art_${"a".repeat(52)}/content`),
  ]);

  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(await leftOvers()).toEqual([]);
});

test("twenty uploads at once are twenty artifacts, and none is mixed up with another", async () => {
  const contents = Array.from({ length: 20 }, (_, n) => randomBytes(100_000 + n));

  const replies = await Promise.all(contents.map((content) => http.ask("POST", "/v1/artifacts", {}, content)));

  expect(replies.map((reply) => outputOf(reply.json()).sha256)).toEqual(contents.map(sha256Of));
  expect(await leftOvers()).toEqual([]);
});

describe("in a project with a quota", () => {
  const grants = `
version: 1
local: { actor: local, scopes: [all], project: default }
scopes: { all: { tools: ["*"], doors: ["*"] } }
quotas: { default: { storage: 1MiB } }
`;
  let tight: TestStack;
  let opened: typeof gateway;
  let narrow: typeof http;
  const uploads = () => readdir(join(tight.dataDir, "uploads"));
  beforeAll(async () => {
    tight = await createStack({ grants });
    opened = await tight.openGateway();
    narrow = createHttp(opened.url, tight.token);
    await narrow.ask("POST", "/v1/artifacts", {}, randomBytes(1_000_000));
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
    await tight[Symbol.asyncDispose]();
  });

  test.each([
    { what: "says so beforehand", headers: {} },
    { what: "does not say how long it is", headers: { "transfer-encoding": "chunked" } },
  ])("a body that is too large for it and $what is refused while it comes, and nothing is kept (A40)", async (row) => {
    const reply = await narrow.ask("POST", "/v1/artifacts", row.headers, randomBytes(500_000));

    expect(errorOf(reply)).toMatchObject({ code: "P-PRECOND-006", details: { quota_bytes: 2 ** 20 } });
    expect(await uploads()).toEqual([]);
  });

  test("parts that fit one by one and not together are refused, and what came before them stays (A40)", async () => {
    const { upload_id: id } = (await narrow.ask("POST", "/v1/uploads")).json() as { upload_id: string };
    const part = (offset: number, headers: Record<string, string> = {}) =>
      narrow.ask("PATCH", `/v1/uploads/${id}`, { "upload-offset": `${offset}`, ...headers }, randomBytes(30_000));

    const first = await part(0);
    const second = await part(30_000);
    const chunked = await part(30_000, { "transfer-encoding": "chunked" });
    const stand = await narrow.ask("GET", `/v1/uploads/${id}`);

    expect(first.status).toBe(200);
    expect([second, chunked].map((reply) => errorOf(reply).code)).toEqual(["P-PRECOND-006", "P-PRECOND-006"]);
    expect(stand.json()).toMatchObject({ offset: 30_000 });
    await narrow.ask("DELETE", `/v1/uploads/${id}`);
  });
});

describe.skipIf(!mayMount())("with uploads on a small disk of their own", () => {
  let small: typeof gateway;
  const folder = () => join(stack.dataDir, "uploads");
  beforeAll(async () => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder()]);
    small = await stack.openGateway();
  });
  afterAll(async () => {
    await small[Symbol.asyncDispose]();
    execFileSync("umount", [folder()]);
  });

  test("a full disk is a typed error, nothing is left of the upload, and a smaller one goes through", async () => {
    const onSmall = createHttp(small.url, stack.token);

    const full = await onSmall.ask("POST", "/v1/artifacts", {}, randomBytes(4_000_000));
    const fits = await onSmall.ask("POST", "/v1/artifacts", {}, Buffer.from("it fits"));

    expect(errorOf(full)).toMatchObject({ code: "R-CAP-005", details: { retry_after_ms: 30_000 } });
    expect(outputOf(fits.json())).toMatchObject({ sha256: sha256Of("it fits") });
    expect(await readdir(folder())).toEqual([]);
  });

  test("a part that does not fit leaves the upload as it was before it", async () => {
    const onSmall = createHttp(small.url, stack.token);
    const { upload_id: id } = (await onSmall.ask("POST", "/v1/uploads")).json() as { upload_id: string };
    await onSmall.ask("PATCH", `/v1/uploads/${id}`, { "upload-offset": "0" }, Buffer.from("first"));

    const full = await onSmall.ask("PATCH", `/v1/uploads/${id}`, { "upload-offset": "5" }, randomBytes(4_000_000));
    const second = await onSmall.ask("PATCH", `/v1/uploads/${id}`, { "upload-offset": "5" }, Buffer.from(" second"));
    const done = await onSmall.ask("POST", `/v1/uploads/${id}/complete`);

    expect([errorOf(full).code, second.status]).toEqual(["R-CAP-005", 200]);
    expect(outputOf(done.json())).toMatchObject({ sha256: sha256Of("first second") });
  });
});
