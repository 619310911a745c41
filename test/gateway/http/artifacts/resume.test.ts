import { randomBytes } from "node:crypto";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCredential } from "../../../../gateway/credentials.ts";
import { createStack, type TestStack } from "../../../kit/stack.ts";
import { createHttp, errorOf, outputOf, sha256Of } from "./http.ts";

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

type Stand = { upload_id: string; offset: number; expires_at: string };
const folder = () => join(stack.dataDir, "uploads");
const begun = async (client = http) => (await client.ask("POST", "/v1/uploads")).json() as Stand;
const at = (offset: number) => ({ "upload-offset": String(offset) });
const offsetOf = async (id: string) => Number((await http.ask("HEAD", `/v1/uploads/${id}`)).headers["upload-offset"]);
const bytesIn = async (id: string) => (await stat(join(folder(), `${id}.bytes`))).size;

/** Ends the gateway and opens another on the same data. */
async function restart() {
  await gateway[Symbol.asyncDispose]();
  gateway = await stack.openGateway();
  http = createHttp(gateway.url, stack.token);
}

test("an upload in parts is the same run as the same bytes in one go, and is gone when it is complete (A8, A14)", async () => {
  const content = randomBytes(1_500_000);
  const whole = (await http.ask("POST", "/v1/artifacts", {}, content)).json() as { run_id: string };

  const { upload_id: id, offset, expires_at } = await begun();
  const first = await http.ask("PATCH", `/v1/uploads/${id}`, at(0), content.subarray(0, 700_000));
  const second = await http.ask("PATCH", `/v1/uploads/${id}`, at(700_000), content.subarray(700_000));
  const done = await http.ask("POST", `/v1/uploads/${id}/complete?sha256=${sha256Of(content)}`);

  expect(offset).toBe(0);
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  expect([first, second].map(({ headers }) => headers["upload-offset"])).toEqual(["700000", "1500000"]);
  expect(done.json()).toMatchObject({ status: "success", run_id: whole.run_id, provenance: { replayed: true } });
  expect((await http.ask("HEAD", `/v1/uploads/${id}`)).status).toBe(404);
  expect(await readdir(folder())).toEqual([]);
});

test("after a cut connection the upload goes on from what had arrived", async () => {
  const content = randomBytes(4_000_000);
  const { upload_id: id } = await begun();

  await http.cut(["PATCH", `/v1/uploads/${id}`, at(0)], {
    sent: content.subarray(0, 2_500_000),
    promised: content.length,
    arrived: async () => {
      await expect.poll(() => bytesIn(id)).toBeGreaterThan(1_000_000);
    },
  });
  await expect.poll(() => offsetOf(id)).toBe(2_500_000);
  await http.ask("PATCH", `/v1/uploads/${id}`, at(2_500_000), content.subarray(2_500_000));
  const done = await http.ask("POST", `/v1/uploads/${id}/complete`);

  expect(outputOf(done.json())).toMatchObject({ sha256: sha256Of(content), bytes: content.length });
  expect(stack.faults).toEqual([]);
});

test("who comes back before we know that its connection is dead takes over from its own ghost", async () => {
  const content = randomBytes(3_000_000);
  const { upload_id: id } = await begun();
  const back = async () => {
    await expect.poll(() => bytesIn(id)).toBeGreaterThanOrEqual(1 << 20); // the first request is still open
    const told = await http.ask("PATCH", `/v1/uploads/${id}`, at(0), content); // its offset is an old one
    const offset = Number(told.headers["upload-offset"]);
    expect({ status: told.status, code: errorOf(told).code }).toEqual({ status: 409, code: "P-PRECOND-014" });
    await http.ask("PATCH", `/v1/uploads/${id}`, at(offset), content.subarray(offset));
  };

  await http.cut(["PATCH", `/v1/uploads/${id}`, at(0)], {
    sent: content.subarray(0, 2_000_000),
    promised: content.length,
    arrived: back,
  });
  const done = await http.ask("POST", `/v1/uploads/${id}/complete`);

  expect(outputOf(done.json())).toMatchObject({ sha256: sha256Of(content) });
});

test("an upload outlives the gateway that began it", async () => {
  const content = randomBytes(2_000_000);
  const { upload_id: id } = await begun();
  await http.ask("PATCH", `/v1/uploads/${id}`, at(0), content.subarray(0, 1_234_567));

  await restart();

  expect(await offsetOf(id)).toBe(1_234_567);
  await http.ask("PATCH", `/v1/uploads/${id}`, at(1_234_567), content.subarray(1_234_567));
  const done = await http.ask("POST", `/v1/uploads/${id}/complete?label=resumed&sha256=${sha256Of(content)}`);
  expect(outputOf(done.json())).toMatchObject({ sha256: sha256Of(content), label: "resumed" });
});

test("at its start a gateway removes what nobody can go on with", async () => {
  const { upload_id: alive } = await begun();
  await writeFile(join(folder(), "upl_half-received.bytes"), "in one go, when the gateway was killed");
  await writeFile(join(folder(), "upl_torn.json"), "{");

  await restart();

  expect((await readdir(folder())).toSorted()).toEqual([`${alive}.bytes`, `${alive}.json`]);
  await http.ask("DELETE", `/v1/uploads/${alive}`);
  expect(await readdir(folder())).toEqual([]);
});

test("a digest that does not fit removes the upload; a wrong type leaves it to be completed rightly (A14, A19)", async () => {
  const [spoilt, good] = await Promise.all([begun(), begun()]);
  for (const { upload_id: id } of [spoilt, good])
    await http.ask("PATCH", `/v1/uploads/${id}`, at(0), Buffer.from("some bytes"));

  const mismatch = await http.ask("POST", `/v1/uploads/${spoilt.upload_id}/complete?sha256=${sha256Of("others")}`);
  const wrongType = await http.ask("POST", `/v1/uploads/${good.upload_id}/complete?type=Wrong`);
  const late = await http.ask("PATCH", `/v1/uploads/${good.upload_id}`, at(10), Buffer.from("more"));
  const done = await http.ask("POST", `/v1/uploads/${good.upload_id}/complete`);

  expect([mismatch, wrongType, late].map((reply) => errorOf(reply).code)).toEqual([
    "I-REQ-001",
    "I-REQ-001",
    "P-PRECOND-014", // what is sealed takes no more
  ]);
  expect((await http.ask("HEAD", `/v1/uploads/${spoilt.upload_id}`)).status).toBe(404);
  expect(outputOf(done.json())).toMatchObject({ sha256: sha256Of("some bytes") });
});

test("an upload that grows too large is refused and gone (A5)", async () => {
  const { upload_id: id } = await begun();
  await http.ask("PATCH", `/v1/uploads/${id}`, at(0), Buffer.alloc(5 * 2 ** 20));

  const over = await http.ask("PATCH", `/v1/uploads/${id}`, at(5 * 2 ** 20), Buffer.alloc(5 * 2 ** 20));

  expect({ status: over.status, code: errorOf(over).code }).toEqual({ status: 413, code: "I-REQ-003" });
  expect(await readdir(folder())).toEqual([]);
});

test("nobody else sees an upload: not another project, not by the tool either (A5)", async () => {
  const { token } = await newCredential(join(stack.dataDir, "credentials"), { actor: "local", project: "lab-a" });
  const other = createHttp(gateway.url, token);
  const { upload_id: id } = await begun();

  const replies = await Promise.all([
    other.ask("HEAD", `/v1/uploads/${id}`),
    other.ask("PATCH", `/v1/uploads/${id}`, at(0), Buffer.from("x")),
    other.ask("POST", `/v1/uploads/${id}/complete`),
    other.ask("DELETE", `/v1/uploads/${id}`),
    http.ask("HEAD", `/v1/uploads/upl_${"a".repeat(32)}`),
    http.ask("HEAD", "/v1/uploads/..%2f..%2fcredentials%2flocal"),
  ]);

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(await offsetOf(id)).toBe(0);
  await http.ask("DELETE", `/v1/uploads/${id}`);
});

test("one actor has at most sixteen uploads open", async () => {
  const open = await Promise.all(Array.from({ length: 16 }, () => begun()));

  const oneMore = await http.ask("POST", "/v1/uploads");
  const inOneGo = await http.ask("POST", "/v1/artifacts", {}, Buffer.from("not counted"));

  expect(errorOf(oneMore)).toMatchObject({ code: "R-CAP-002", details: { max_uploads: 16 } });
  expect(inOneGo.status).toBe(200);
  await Promise.all(open.map(({ upload_id: id }) => http.ask("DELETE", `/v1/uploads/${id}`)));
  expect((await http.ask("POST", "/v1/uploads")).status).toBe(201);
});

test.each(["", "-1", "1e3", "x"])("an Upload-Offset of %j is refused", async (offset) => {
  const reply = await http.ask("PATCH", `/v1/uploads/upl_${"a".repeat(32)}`, { "upload-offset": offset });

  expect({ status: reply.status, code: errorOf(reply).code }).toEqual({ status: 400, code: "I-REQ-001" });
});
