import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStack, type TestStack } from "../../kit/stack.ts";
import { openPolicy, toolFor } from "../../kit/tools.ts";
import { ToolError } from "../../../toolpacks/contract/tool-error.ts";

let stack: TestStack;
const ran = new Map<string, number>();
const count = (name: string) => ran.set(name, (ran.get(name) ?? 0) + 1).get(name) ?? 0;

beforeAll(async () => {
  const slow = toolFor({
    name: "test_slow",
    async run({ params }) {
      count(String(params["name"]));
      await new Promise((resolve) => setTimeout(resolve, 150));
      return { name: params["name"] ?? null };
    },
  });
  const flaky = toolFor({
    name: "test_flaky",
    async run({ params }) {
      if (count(String(params["name"])) === 1) throw new ToolError("D-DATA-002");
      return "ok";
    },
  });
  const keyed = toolFor({
    name: "test_keyed",
    determinism: "idempotent",
    async run({ params }) {
      return { ran: count(String(params["name"])) };
    },
  });
  stack = await createStack({ policy: openPolicy, tools: [slow, flaky, keyed] });
});
afterAll(() => stack[Symbol.asyncDispose]());

describe("a run that has succeeded", () => {
  test("is replayed with its stored result and its first time, without Temporal (A13, T35)", async () => {
    const first = await stack.call("test_slow", { name: "replayed" });
    await stack.stopWorker();

    const again = await stack.call("test_slow", { name: "replayed" });
    await stack.startWorker();

    expect(first).toMatchObject({ status: "success", output: { name: "replayed" }, provenance: { replayed: false } });
    expect(again).toMatchObject({
      status: "success",
      run_id: first.run_id,
      output: { name: "replayed" },
      provenance: { replayed: true },
    });
    expect(again.provenance.replayed_from).toBeDefined();
    expect(ran.get("replayed")).toBe(1);
  });

  test("is the same run for whoever writes the same question in another order (A11, T18)", async () => {
    const one = await stack.call("test_slow", { name: "order", a: 1, b: [true, null] });
    const other = await stack.call("test_slow", { b: [true, null], a: 1, name: "order" });

    expect(other.run_id).toBe(one.run_id);
    expect(ran.get("order")).toBe(1);
  });

  test("leaves a row for each call, the replayed one at most a second behind", async () => {
    const { call_id, run_id } = await stack.call("test_slow", { name: "replayed" });

    await expect
      .poll(() => stack.database.rows("select run_id, replayed, status from calls where call_id = $1", [call_id]), {
        timeout: 1_500,
      })
      .toEqual([{ run_id, replayed: true, status: "success" }]);
  });
});

test("two identical calls at once are one execution, and both get its result (C60, C61)", async () => {
  const both = await Promise.all([
    stack.call("test_slow", { name: "twice" }),
    stack.call("test_slow", { name: "twice" }),
  ]);

  expect(both.map(({ status }) => status)).toEqual(["success", "success"]);
  expect(new Set(both.map(({ run_id }) => run_id)).size).toBe(1);
  expect(ran.get("twice")).toBe(1);
  const attempts = await stack.database.rows("select attempt from attempts where run_id = $1", [both[0]?.run_id]);
  expect(attempts).toEqual([{ attempt: 1 }]);
});

test("forty identical calls at once are one execution", async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => stack.call("test_slow", { name: "forty" })));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(["success"]));
  expect(ran.get("forty")).toBe(1);
});

describe("a run that has failed", () => {
  test("does not poison its run_id: asked again it gets a new attempt, and the history is kept (C61)", async () => {
    const first = await stack.call("test_flaky", { name: "poison" });
    const again = await stack.call("test_flaky", { name: "poison" });

    expect(first).toMatchObject({ status: "terminal_error", error: { code: "D-DATA-002" } });
    expect(again).toMatchObject({ status: "success", run_id: first.run_id, provenance: { replayed: false } });
    const attempts = await stack.database.rows(
      "select attempt, state from attempts where run_id = $1 order by attempt",
      [first.run_id],
    );
    expect(attempts).toEqual([
      { attempt: 1, state: "failed" },
      { attempt: 2, state: "succeeded" },
    ]);
  });

  test("asked again at the very moment it fails gets its new attempt at once, not when the reconciler comes by", async () => {
    const times: number[] = [];
    for (const n of Array.from({ length: 30 }, (_, index) => index)) {
      await stack.call("test_flaky", { name: `moment-${n}` });
      const asked = performance.now();
      const again = await stack.call("test_flaky", { name: `moment-${n}` });
      times.push(performance.now() - asked);
      expect(again.status).toBe("success");
    }

    expect(Math.max(...times)).toBeLessThan(1_900); // the reconciler's first look would come after two seconds
  });
});

describe("an idempotency key of a tool that is not pure", () => {
  const key = "a-key-of-sixteen-characters";

  test("answers the same request with the stored run (C60, C61)", async () => {
    const first = await stack.call("test_keyed", { name: "keyed" }, { key });
    const again = await stack.call("test_keyed", { name: "keyed" }, { key });

    expect(again).toMatchObject({
      status: "success",
      run_id: first.run_id,
      output: { ran: 1 },
      provenance: { replayed: true },
    });
  });

  test("is refused for another request, and says which run it belongs to", async () => {
    const first = await stack.call("test_keyed", { name: "keyed" }, { key });
    const other = await stack.call("test_keyed", { name: "other" }, { key });

    expect(other).toMatchObject({ status: "terminal_error", run_id: first.run_id, error: { code: "P-PRECOND-002" } });
  });

  test("taken by two different requests at once lets one of them through", async () => {
    const at = "another-key-of-sixteen";
    const both = await Promise.all([
      stack.call("test_keyed", { name: "race-a" }, { key: at }),
      stack.call("test_keyed", { name: "race-b" }, { key: at }),
    ]);

    expect(both.map(({ status }) => status).toSorted()).toEqual(["success", "terminal_error"]);
  });

  test("left out means an effect of its own for each call", async () => {
    const first = await stack.call("test_keyed", { name: "keyless" });
    const second = await stack.call("test_keyed", { name: "keyless" });

    expect(second.run_id).not.toBe(first.run_id);
    expect(ran.get("keyless")).toBe(2);
  });
});
