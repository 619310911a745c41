import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStack, type TestStack } from "../../../kit/stack.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await createStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function imported(
  content: string | Buffer,
  project = "default",
): Promise<{ artifact_id: string; sha256: string }> {
  const input = { content: Buffer.from(content).toString("base64"), encoding: "base64" };
  const answer = await stack.call("artifact_import", input, { project });
  if (answer.status !== "success") throw new Error(JSON.stringify(answer));
  return answer.output as { artifact_id: string; sha256: string };
}

test("artifact_get tells what an artifact is, and links it as an input (A35)", async () => {
  const { artifact_id, sha256 } = await imported("described");

  const answer = await stack.call("artifact_get", { artifact_id });

  expect(answer).toMatchObject({ status: "success", output: { artifact_id, sha256, bytes: 9, type: "text" } });
  const inputs = await stack.database.rows("select role, artifact_id from run_inputs where run_id = $1", [
    answer.run_id,
  ]);
  expect(inputs).toEqual([{ role: "artifact", artifact_id }]);
});

test("an artifact of another project is not found, like one that never was", async () => {
  const foreign = await imported("not yours", "lab-a");
  const never = "art_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

  const answers = await Promise.all(
    [foreign.artifact_id, never].map((artifact_id) => stack.call("artifact_get", { artifact_id })),
  );

  expect(answers).toMatchObject([
    { status: "terminal_error", run_id: null, error: { code: "P-PRECOND-001" } },
    { status: "terminal_error", run_id: null, error: { code: "P-PRECOND-001" } },
  ]);
});

test("a preview shows the start of a text, as much as was asked for", async () => {
  const { artifact_id } = await imported("0123456789");

  const answer = await stack.call("artifact_preview_text", { artifact_id, max_bytes: 4 });

  expect(answer).toMatchObject({ output: { text: "0123", bytes_shown: 4, bytes_total: 10, truncated: true } });
});

test("a preview is harmless to show: control characters become pictures, a cut character is left out", async () => {
  const text = "\u001b[31mred\u0007 \u202eevil\u0085\nline\tä";
  const { artifact_id } = await imported(text);

  const answer = await stack.call("artifact_preview_text", { artifact_id, max_bytes: Buffer.byteLength(text) - 1 });

  expect(answer).toMatchObject({ output: { text: "\u241b[31mred\u2407 \u2421evil\u2421\nline\t" } });
});

test("a preview of what is not text is refused by the tool, in the run", async () => {
  const { artifact_id } = await imported(Buffer.from([1, 0, 2]));

  const answer = await stack.call("artifact_preview_text", { artifact_id });

  expect(answer).toMatchObject({ status: "terminal_error", error: { code: "D-DATA-002" } });
  expect(answer.run_id).not.toBeNull();
});

test("a blob that was changed on disk is found out at read; mended, the same run succeeds", async () => {
  const { artifact_id, sha256 } = await imported("the truth");
  const path = join(stack.dataDir, "blobs", sha256.slice(0, 2), sha256.slice(2));
  await chmod(path, 0o644);
  await writeFile(path, "the false");

  const broken = await stack.call("artifact_preview_text", { artifact_id });
  await writeFile(path, "the truth");
  const mended = await stack.call("artifact_preview_text", { artifact_id });

  expect(broken).toMatchObject({ status: "terminal_error", error: { code: "D-DATA-001", details: { sha256 } } });
  expect(mended).toMatchObject({ status: "success", run_id: broken.run_id, output: { text: "the truth" } });
  expect((await readFile(path)).toString()).toBe("the truth");
});
