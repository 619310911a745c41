import { expect, test } from "vitest";
import { z } from "zod";
import { nearestName } from "../../../toolpacks/contract/nearest-name.ts";
import { violationsOfZod } from "../../../toolpacks/contract/zod-violations.ts";

const Envelope = z.strictObject({
  tool_id: z.string(),
  constraints: z.strictObject({ timeout_ms: z.int().max(600_000) }).optional(),
  links: z.array(z.strictObject({ role: z.string() })).default([]),
  labels: z.record(z.string(), z.strictObject({ text: z.string() })).optional(),
});

test("all violations are listed, each with place, rule and words (C48)", () => {
  const sent = {
    toolId: "x",
    constraints: { timeout_ms: 1e9, timeoutMs: 1 },
    links: [{ rol: "a" }],
    labels: { "a/b": { text: 1, txet: 2 } },
  };

  expect(violationsOf(Envelope, sent)).toEqual([
    "/tool_id required: is required",
    "/constraints/timeout_ms too_big: Too big: expected number to be <=600000",
    '/constraints/timeoutMs unknown_name: is not a known name; did you mean "timeout_ms"?',
    "/links/0/role required: is required",
    '/links/0/rol unknown_name: is not a known name; did you mean "role"?',
    "/labels/a~1b/text invalid_type: Invalid input: expected string, received number",
    '/labels/a~1b/txet unknown_name: is not a known name; did you mean "text"?',
    '/toolId unknown_name: is not a known name; did you mean "tool_id"?',
  ]);
});

test("several unknown names at one place are several violations (C48)", () => {
  expect(violationsOf(z.strictObject({}), { a: 1, b: 2 })).toEqual([
    "/a unknown_name: is not a known name",
    "/b unknown_name: is not a known name",
  ]);
});

test("of a union the branch that was meant speaks; if none was, the union does", () => {
  const Source = z.strictObject({ from: z.union([z.string(), z.strictObject({ root: z.string() })]) });

  expect(violationsOf(Source, { from: { root: 1 } })).toEqual([
    "/from/root invalid_type: Invalid input: expected string, received number",
  ]);
  expect(violationsOf(Source, { from: 1 })).toEqual(["/from invalid_union: Invalid input"]);
});

test("without the schema, unknown names are named without a hint", () => {
  const { error } = Envelope.safeParse({ tool_id: "x", tool: 1 });

  expect(error && violationsOfZod(error)).toEqual([
    { pointer: "/tool", rule: "unknown_name", message: "is not a known name" },
  ]);
});

test.each([
  ["alow", "allow"],
  ["importRoots", "import_roots"],
  ["import-root", "import_roots"],
  ["DENY", "deny"],
  ["zzzzzz", undefined],
])("the name nearest to %s is %s", (name, nearest) => {
  expect(nearestName(name, ["allow", "deny", "import_roots"])).toBe(nearest);
});

test("a name of any length is compared in no time, and is near to nothing", () => {
  expect(nearestName("x".repeat(1_000_000), ["allow"])).toBeUndefined();
});

function violationsOf(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return error
    ? violationsOfZod(error, schema).map(({ pointer, rule, message }) => `${pointer} ${rule}: ${message}`)
    : [];
}
