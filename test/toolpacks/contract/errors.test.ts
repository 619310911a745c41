import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { classOf, errorCatalogue, isErrorCode, outcomeOf } from "../../../toolpacks/contract/errors.ts";
import { isToolError, ToolError } from "../../../toolpacks/contract/tool-error.ts";

const rows = Object.entries(errorCatalogue);

test("the prefix of every code is its class (C92)", () => {
  expect(rows.filter(([code, row]) => classOf(code) !== row.class || !code.startsWith(`${row.class}-`))).toEqual([]);
});

test("a code that was once given out is never renumbered or dropped (C92)", () => {
  const given = {
    "I-REQ": ["001", "002", "003", "004", "005", "006"],
    "A-AUTH": ["001", "003", "004", "006"],
    "P-PRECOND": ["001", "002", "005", "006", "008", "009", "012"],
    "R-TIMEOUT": ["001"],
    "R-UPSTREAM": ["006"],
    "R-CAP": ["002", "005"],
    "S-TOOL": ["001", "INTERNAL", "UNAVAILABLE"],
    "C-CONTRACT": ["002", "003", "004", "005", "007"],
    "D-DATA": ["001", "002"],
  };
  const codes = Object.entries(given).flatMap(([prefix, ends]) => ends.map((end) => `${prefix}-${end}`));

  expect(codes.filter((code) => !isErrorCode(code))).toEqual([]);
});

test("every code has a short message and a fix, each a sentence (C103, C105)", () => {
  const isSentence = (text: string) => /^[A-Z].*\.$/.test(text) && text.length <= 120;

  expect(rows.filter(([, { message, fix }]) => !isSentence(message) || !isSentence(fix))).toEqual([]);
  expect(new Set(rows.map(([, { message }]) => message)).size).toBe(rows.length);
});

test("what is wrong with the request is never tried again unchanged (C94)", () => {
  const ofRequests = rows.filter(([code]) => code.startsWith("I-REQ-")).map(([, row]) => row);

  expect(ofRequests.length).toBeGreaterThan(0);
  expect(ofRequests.every(({ outcome, backOffMs }) => outcome === "invalid_request" && backOffMs === null)).toBe(true);
});

test("whether a code may be tried again is the same as whether it has a back-off", () => {
  expect(rows.filter(([, { outcome, backOffMs }]) => (outcome === "retryable_error") !== (backOffMs !== null))).toEqual(
    [],
  );
  expect(rows.filter(([, row]) => (row.outcome === "retryable_error") !== row.class.startsWith("R-"))).toEqual([]);
});

test.each([
  ["I-REQ-001", 400],
  ["I-REQ-003", 413],
  ["A-AUTH-001", 401],
  ["A-AUTH-004", 403],
  ["P-PRECOND-001", 200],
  ["R-CAP-002", 200],
  ["S-TOOL-INTERNAL", 200],
] as const)("%s is answered over HTTP with %i", (code, status) => {
  expect(errorCatalogue[code].http).toBe(status);
});

test.each([
  ["S-TOOL-002-SAMTOOLS-EOF", "S-TOOL", "terminal_error"],
  ["S-TOOL-002-X", "S-TOOL", "terminal_error"],
  ["R-UPSTREAM-503", "R-UPSTREAM", "retryable_error"],
  ["I-REQ-001-COLUMN", "I-REQ", "invalid_request"],
  ["D-DATA-002-BAM", "D-DATA", "terminal_error"],
])("a tool's subcode %s is of class %s and ends as its class does (C93)", (code, errorClass, outcome) => {
  expect(classOf(code)).toBe(errorClass);
  expect(outcomeOf(code)).toBe(outcome);
  expect(isErrorCode(code)).toBe(false);
});

test.each([
  "",
  "S-TOOL",
  "S-TOOL-",
  "X-OWN-001",
  "S-TOOLS-001",
  "s-tool-001",
  "S-TOOL-001-",
  "S-TOOL-001 ",
  "__proto__",
  "toString",
])("%j is of no class, and so a fault of our own: a tool cannot make up a class (C93)", (code) => {
  expect(classOf(code)).toBeUndefined();
  expect(outcomeOf(code)).toBe("terminal_error");
});

test("an error says what the catalogue says, unless it knows better", () => {
  const cause = new Error("why");
  const plain = new ToolError("I-REQ-004");
  const told = new ToolError("R-CAP-002", {
    message: "Slow down.",
    details: { rate: 5 },
    cause,
    runId: "run_x",
    retryAfterMs: 20,
  });

  expect(plain).toMatchObject({
    name: "ToolError",
    code: "I-REQ-004",
    message: errorCatalogue["I-REQ-004"].message,
    details: {},
  });
  expect("cause" in plain).toBe(false);
  expect(told).toMatchObject({
    code: "R-CAP-002",
    message: "Slow down.",
    details: { rate: 5 },
    cause,
    runId: "run_x",
    retryAfterMs: 20,
  });
});

test("an error is known by its brand, also from another realm", () => {
  const foreign: unknown = runInNewContext(
    'Object.assign(new Error("x"), { [Symbol.for("helixrun.ToolError")]: true })',
  );

  expect([new ToolError("I-REQ-001"), foreign].map(isToolError)).toEqual([true, true]);
  expect([new Error("x"), { code: "I-REQ-001" }, null, undefined, "I-REQ-001"].map(isToolError)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
