import { chmod, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCredential } from "../../../gateway/credentials.ts";
import { createLedger, type Ledger } from "../../../ledger/ledger.ts";
import { createStack, type TestStack } from "../../kit/stack.ts";

const grants = `
version: 1
local: { actor: local, scopes: [all], project: default }
scopes: { all: { tools: ["*"], doors: ["run_*", "artifact*"] } }
quotas: { default: { storage: 1MiB } }
retention: { logs: 90d, unreferenced_blobs: 0ms, gc_grace: 10m }
`;

let stack: TestStack;
let ledger: Ledger;
beforeAll(async () => {
  stack = await createStack({ grants });
  ledger = createLedger({ url: stack.database.url });
});
afterAll(async () => {
  await ledger.close();
  await stack[Symbol.asyncDispose]();
});

type Line = { progress?: unknown; result?: Record<string, unknown>; error?: { code: string } };

async function post(path: string, body: unknown, token = stack.token): Promise<{ status: number; lines: Line[] }> {
  const request = new Request(`http://127.0.0.1/v1/operator/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}` },
  });
  const response = await stack.fetch(request);
  const lines = (await response.text()).trim().split("\n");
  return { status: response.status, lines: lines.map((line) => JSON.parse(line) as Line) };
}

const resultOf = async (path: string, body: unknown) => (await post(path, body)).lines.at(-1)?.result;
const pathOf = (sha256: string) => join(stack.dataDir, "blobs", sha256.slice(0, 2), sha256.slice(2));

async function imported(content: string) {
  const answer = await stack.call("artifact_import", { content });
  expect(answer).toMatchObject({ status: "success" });
  const { artifact_id, sha256 } = (answer as unknown as { output: { artifact_id: string; sha256: string } }).output;
  return { artifact_id, sha256, runId: answer.run_id, replayed: answer.provenance.replayed };
}

test("a collection condemns, tells what it did, and removes when the grace is over; a dry run changes nothing (A39)", async () => {
  const { artifact_id, sha256 } = await imported("collected through its door");
  await ledger.tombstoneArtifacts([artifact_id]);
  const condemned = { count: 1, bytes: 26 };

  const dry = await resultOf("gc", { dry_run: true });
  const first = await resultOf("gc", {});
  await stack.database.rows("update blobs set condemned_at = now() - interval '11 minutes' where sha256 = $1", [
    sha256,
  ]);
  await utimes(pathOf(sha256), new Date(0), new Date(0));
  const second = await resultOf("gc", {});

  expect(dry).toMatchObject({ dry_run: true, condemned, swept: { count: 0 } });
  expect(first).toMatchObject({ dry_run: false, condemned, swept: { count: 0 }, tombstoned_logs: { count: 0 } });
  expect(second).toMatchObject({ condemned: { count: 0 }, swept: condemned });
  const audit = "select actor from audit where event = 'garbage_collected'";
  expect(await stack.database.rows(audit)).toContainEqual({ actor: "local" });
});

test("a replay whose outputs were collected runs again and brings them back under the same ids (A39)", async () => {
  const first = await imported("collected and wanted again");
  await ledger.tombstoneArtifacts([first.artifact_id]);
  expect(await stack.call("artifact_get", { artifact_id: first.artifact_id })).toMatchObject({
    error: { code: "P-PRECOND-001" },
  });
  await ledger.collectGarbage({
    blobs: await collectorBlobs(),
    retention: { logsMs: 1e12, unreferencedMs: -1_000, graceMs: -1_000 },
    actor: "test",
  });

  const again = await imported("collected and wanted again");

  expect(again).toMatchObject({ artifact_id: first.artifact_id, runId: first.runId, replayed: false });
  const preview = await stack.call("artifact_preview_text", { artifact_id: first.artifact_id });
  expect(preview).toMatchObject({ status: "success", output: { text: "collected and wanted again" } });
});

async function collectorBlobs() {
  const { createDiskBlobs } = await import("../../../ledger/blobs/disk.ts");
  return createDiskBlobs({ folder: join(stack.dataDir, "blobs"), writer: "collector" });
}

test("a flipped bit is found at read, named with its artifact and run, set aside, and healed by importing again (A39)", async () => {
  const { artifact_id, sha256, runId } = await imported("one bit will flip");
  await chmod(pathOf(sha256), 0o644);
  await writeFile(pathOf(sha256), "one bit will flip".replace("o", "n"));

  const bad = await stack.call("artifact_preview_text", { artifact_id });
  const stillBad = await stack.call("artifact_preview_text", { artifact_id });
  const healed = await imported("one bit will flip");
  const read = await stack.call("artifact_preview_text", { artifact_id });

  const error = { code: "D-DATA-001", details: { artifact_id, made_by_run: runId, sha256 } };
  expect(bad).toMatchObject({ status: "terminal_error", error });
  expect(stillBad).toMatchObject({ status: "terminal_error", error });
  expect(healed).toMatchObject({ artifact_id, runId, replayed: false });
  expect(read).toMatchObject({ status: "success", output: { text: "one bit will flip" } });
  expect(await imported("one bit will flip")).toMatchObject({ replayed: true });
  const audited = await stack.database.rows(
    "select run_id, artifact_id from audit where event = 'artifact_quarantined'",
  );
  expect(audited).toEqual([{ run_id: runId, artifact_id }]);
});

test("verifying reports what is bad with the artifacts and the runs that made them (A39)", async () => {
  const { artifact_id, sha256, runId } = await imported("will be missing");
  await rm(pathOf(sha256));

  const result = await resultOf("verify", { sample: "all" });
  await imported("will be missing");
  const after = await resultOf("verify", {});

  expect(result?.["bad"]).toEqual([
    { sha256, found: "nothing", artifacts: [{ artifact_id, project: "default", made_by_run: runId }] },
  ]);
  expect(after).toMatchObject({ bad: [] });
});

test.each([
  { path: "gc", body: { dry: true } },
  { path: "verify", body: { sample: 0 } },
  { path: "verify", body: { sample: "some" } },
])("a request that is not understood is refused: $path $body", async ({ path, body }) => {
  expect(await post(path, body)).toMatchObject({ status: 400, lines: [{ error: { code: "I-REQ-001" } }] });
});

test("the doors are open only to whom grants name, and to nobody without a token", async () => {
  const narrow = grants.replace('["run_*", "artifact*"]', '["run_*"]');
  await writeFile(join(stack.dataDir, "deployment", "grants.yaml"), narrow);
  await stack.activate();

  expect(await post("gc", {})).toMatchObject({ status: 403, lines: [{ error: { code: "A-AUTH-003" } }] });
  expect(await post("verify", {})).toMatchObject({ status: 403, lines: [{ error: { code: "A-AUTH-003" } }] });
  expect(await post("gc", {}, "x".repeat(40))).toMatchObject({ status: 401 });
  await writeFile(join(stack.dataDir, "deployment", "grants.yaml"), grants);
  await stack.activate();
});

test("an import beyond the project's quota is refused before a byte is copied, in this project only (A40)", async () => {
  await writeFile(join(stack.inbox, "large.bin"), Buffer.alloc(2_000_000, 1));
  await newCredential(join(stack.dataDir, "credentials"), { actor: "local", project: "lab-b" });

  const byPath = await stack.call("artifact_import", { path: "large.bin" });
  await stack.call("artifact_import", { content: "x".repeat(200_000) }, { project: "lab-b" });
  const many = ["a", "b", "c", "d"].map((letter) => letter.repeat(250_000));
  const answers = [];
  for (const content of many) answers.push(await stack.call("artifact_import", { content }, { project: "lab-b" }));

  const details = { quota: "quotas.default.storage", quota_bytes: 1_048_576, bytes: 2_000_000 };
  expect(byPath).toMatchObject({ status: "terminal_error", error: { code: "P-PRECOND-006", details } });
  expect(answers.map(({ status }) => status)).toEqual(["success", "success", "success", "terminal_error"]);
  expect(await stack.call("artifact_import", { content: "small" })).toMatchObject({ status: "success" });
});
