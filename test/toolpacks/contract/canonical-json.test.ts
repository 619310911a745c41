import fc from "fast-check";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { canonicalBytes, canonicalJson } from "../../../toolpacks/contract/canonical-json.ts";
import { refusalOf, rulesOf } from "./refusal-of.ts";

// RFC 8785, appendix B: the bits of a double, and its one text.
test.each([
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
])("the double %s is written as %s, as RFC 8785 has it", (bits, text) => {
  expect(canonicalJson(doubleOf(bits))).toBe(text);
});

test("the bits of NaN and of the infinities are refused, as RFC 8785 has it", () => {
  expect(
    ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"].map((bits) =>
      rulesOf(() => canonicalJson(doubleOf(bits))),
    ),
  ).toEqual([[" non-finite"], [" non-finite"], [" non-finite"]]);
});

test("names are sorted by UTF-16 code units, as in the example of RFC 8785", () => {
  const named = {
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis",
  };

  expect(Object.values(JSON.parse(canonicalJson(named)) as object)).toHaveLength(7);
  expect([...canonicalJson(named).matchAll(/:"([A-Z]\w+)/g)].map(([, word]) => word)).toEqual([
    "Carriage",
    "One",
    "Control",
    "Latin",
    "Euro",
    "Emoji",
    "Hebrew",
  ]);
});

test("text is escaped as in the example of RFC 8785", () => {
  expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/\u2028\u007f')).toBe(
    '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u2028\u007f"',
  );
  expect(canonicalJson("\b\t\n\f\r\0\u001f")).toBe('"\\b\\t\\n\\f\\r\\u0000\\u001f"');
});

const json = fc.jsonValue({ maxDepth: 6 });

test("the order of members never matters (T18, A11)", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
    }),
  );
});

test("canonical text reads back as the same value, and is its own canonical text", () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(new TextDecoder().decode(canonicalBytes(value))).toBe(text);
    }),
  );
});

test("any value at all is either written or refused with a typed error (T16)", () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      expect(outcomeOf(value)).toMatch(/^(?:written|C-CONTRACT-005)$/);
    }),
  );
});

class Point {
  x = 1;
}
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const deep = JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`) as unknown;

test.each<[string, unknown, string]>([
  ["undefined", { a: undefined }, "/a undefined"],
  ["a bigint", { a: 1n }, "/a bigint"],
  ["a function", { a: () => 1 }, "/a function"],
  ["a symbol", { a: Symbol("s") }, "/a symbol"],
  ["a symbol as a name", { [Symbol("s")]: 1 }, "/Symbol(s) symbol-name"],
  ["NaN", [Number.NaN], "/0 non-finite"],
  ["infinity", [-Infinity], "/0 non-finite"],
  ["a cycle", cyclic, "/self cycle"],
  // oxlint-disable-next-line no-sparse-arrays
  ["a hole in an array", [1, , 3], "/1 sparse-array"],
  ["a named member of an array", Object.assign([1], { extra: 1 }), "/extra array-property"],
  ["undefined in an array", [undefined], "/0 undefined"],
  ["a Date", { at: new Date(0) }, "/at class-instance"],
  ["a Map", { at: new Map() }, "/at class-instance"],
  ["a typed array", new Uint8Array(2), " class-instance"],
  ["an array of another class", new (class List extends Array {})(), " class-instance"],
  ["an object of a class", { p: new Point() }, "/p class-instance"],
  ["a boxed number", Object(1), " class-instance"],
  ["an inherited member", Object.create({ a: 1 }), " class-instance"],
  [
    "a computed member",
    {
      get now() {
        return 1;
      },
    },
    "/now accessor",
  ],
  ["a hidden member", Object.defineProperty({}, "h", { value: 1 }), "/h hidden-member"],
  ["toJSON", { toJSON: () => 1 }, "/toJSON function"],
  ["a lone surrogate", { a: "\ud800x" }, "/a lone-surrogate"],
  ["a lone surrogate in a name", { "\udc00": 1 }, "/\ufffd lone-surrogate"],
  ["depth without end", deep, `${"/0".repeat(256)} depth`],
])("%s is refused with its place, not dropped or converted (T16)", (_name, value, refusal) => {
  expect(rulesOf(() => canonicalJson(value))).toEqual([refusal]);
});

test("every violation is listed, with pointers escaped as RFC 6901 has it (T16)", () => {
  const { code, details } = refusalOf(() => canonicalJson({ "a/b": [1n, undefined], "m~n": Number.NaN }));

  expect(code).toBe("C-CONTRACT-005");
  expect(details).toEqual({
    violations: [
      { pointer: "/a~1b/0", rule: "bigint", message: "bigint is not a JSON value" },
      { pointer: "/a~1b/1", rule: "undefined", message: "undefined is not a JSON value" },
      { pointer: "/m~0n", rule: "non-finite", message: "NaN is not a JSON number" },
    ],
  });
});

test("what occurs twice side by side is no cycle", () => {
  const shared = { a: 1 };

  expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
});

test("values of another realm, such as a workflow's, and objects without prototype are plain", () => {
  expect(canonicalJson(runInNewContext("({ b: [1], a: null })"))).toBe('{"a":null,"b":[1]}');
  expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
});

test("a member named __proto__ is a member like any other", () => {
  expect(canonicalJson(JSON.parse('{"__proto__":{"a":1},"b":2}'))).toBe('{"__proto__":{"a":1},"b":2}');
});

function doubleOf(bits: string): number {
  return Buffer.from(bits, "hex").readDoubleBE();
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, reversed(member)]);
  return Object.fromEntries(members.toReversed());
}

function outcomeOf(value: unknown): string {
  try {
    canonicalJson(value);
    return "written";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}
