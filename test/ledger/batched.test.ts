import { expect, test } from "vitest";
import { batched } from "../../ledger/batched.ts";

/** A look-up whose statements are answered one by one, by hand. */
function slowLookup() {
  const sent: { keys: string[]; answer(): void; fail(error: Error): void }[] = [];
  const find = batched(
    (keys: string[]) =>
      new Promise<string[]>((resolve, reject) => {
        sent.push({ keys, answer: () => resolve(keys.map((key) => key.toUpperCase())), fail: reject });
      }),
  );
  return { sent, find };
}

test("a lone look-up is sent at once", async () => {
  const { sent, find } = slowLookup();
  const found = find("a");

  sent[0]?.answer();

  expect(await found).toBe("A");
  expect(sent.map(({ keys }) => keys)).toEqual([["a"]]);
});

test("look-ups asked for meanwhile share the next statement, and each gets its own answer", async () => {
  const { sent, find } = slowLookup();
  const found = Promise.all(["a", "b", "c", "b"].map(find));

  sent[0]?.answer();
  await expect.poll(() => sent.length).toBe(2);
  sent[1]?.answer();

  expect(await found).toEqual(["A", "B", "C", "B"]);
  expect(sent.map(({ keys }) => keys)).toEqual([["a"], ["b", "c", "b"]]);
});

test("a statement that fails fails those who share it, and nobody after them", async () => {
  const { sent, find } = slowLookup();
  const failing = find("a");
  const next = find("b");

  sent[0]?.fail(new Error("away"));
  await expect(failing).rejects.toThrow("away");
  await expect.poll(() => sent.length).toBe(2);
  sent[1]?.answer();

  expect(await next).toBe("B");
});
