import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStack, type TestStack } from "../../kit/stack.ts";

let stack: TestStack;
beforeAll(async () => void (stack = await createStack()));
afterAll(async () => stack[Symbol.asyncDispose]());

const imported = async (content: string, project = "default") =>
  stack.call("artifact_import", { content, label: "foreseen" }, { project });

test("a question asked again, word for word, replays as often as it is asked (A13, T35)", async () => {
  const first = await imported("again");

  for (let time = 0; time < 3; time++)
    expect(await imported("again")).toMatchObject({ run_id: first.run_id, provenance: { replayed: true } });
});

test("the same words in another project are another question, also after they were answered here", async () => {
  const here = await imported("two projects");
  const there = await imported("two projects", "other");

  expect(there).toMatchObject({ status: "success", provenance: { replayed: false } });
  expect(there.run_id).not.toBe(here.run_id);
});

test("what the same words mean is decided anew each time: a changed file is another run", async () => {
  const path = `${stack.inbox}/changing.txt`;
  const ask = () => stack.call("artifact_import", { path: "changing.txt" });
  await writeFile(path, "one");
  const one = await ask();
  await ask();
  await writeFile(path, "two");

  const two = await ask();

  expect(two).toMatchObject({ status: "success", provenance: { replayed: false } });
  expect(two.run_id).not.toBe(one.run_id);
});

test("an answer that was refused by then is not given, though it was foreseen: the artifact has been removed", async () => {
  const { run_id } = await imported("removed");
  const [made] = await stack.database.rows<{ artifact_id: string }>(
    "select artifact_id from run_outputs where run_id = $1 and role = 'artifact'",
    [run_id],
  );
  const id = made?.artifact_id;
  const get = () => stack.call("artifact_get", { artifact_id: id });
  expect(await get()).toMatchObject({ status: "success" });
  await stack.database.rows("update artifacts set tombstoned_at = now() where artifact_id = $1", [id]);

  expect(await get()).toMatchObject({ error: { code: "P-PRECOND-001" } });
});
