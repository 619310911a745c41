import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../../toolpacks/contract/canonical-json.ts";
import { losslessViolations } from "../../../toolpacks/contract/lossless-json.ts";
import { parseJson } from "../../../toolpacks/contract/parse-json.ts";
import { isToolError } from "../../../toolpacks/contract/tool-error.ts";
import { refusalOf, rulesOf } from "./refusal-of.ts";

const bytes = (...codes: number[]) => new Uint8Array(codes);

test.each<[string, string | Uint8Array, string[]]>([
  ["an integer beyond 2^53-1", '{"n":9007199254740993}', ["/n unsafe-integer"]],
  [
    "2^53, which its neighbour rounds to",
    "[9007199254740992,-9007199254740992]",
    ["/0 unsafe-integer", "/1 unsafe-integer"],
  ],
  ["digits that a double drops", "[0.1000000000000000055]", ["/0 inexact-number"]],
  ["a number that overflows", "[1e309,-1e400]", ["/0 inexact-number", "/1 inexact-number"]],
  ["a number that vanishes", "[1e-400]", ["/0 inexact-number"]],
  ["a name twice", '{"a":1,"b":{"c":1,"c":2},"a":3}', ["/b/c duplicate-key", "/a duplicate-key"]],
  ["a name twice, once escaped", '{"a":1,"\\u0061":2}', ["/a duplicate-key"]],
  ["__proto__ twice", '{"__proto__":1,"__proto__":2}', ["/__proto__ duplicate-key"]],
  [
    "half a surrogate pair, escaped",
    '{"s":"\\ud83d","t":"\\uDE00\\ud83d"}',
    ["/s lone-surrogate", "/t lone-surrogate"],
  ],
  ["half a surrogate pair, raw", '["\ud83d"]', ["/0 lone-surrogate"]],
  ["half a surrogate pair in a name", '{"\\udc00":1}', ["/\ufffd lone-surrogate"]],
  ["U+0000", '{"s":"a\\u0000b"}', ["/s null-character"]],
  ["U+0000 in a name", '{"\\u0000":1}', ["/\ufffd null-character"]],
  ["bytes that are not UTF-8", bytes(0x22, 0xff, 0x22), [" utf-8"]],
  [
    "bytes that are not UTF-8, and another fault",
    bytes(0x5b, 0x22, 0xc0, 0x22, 0x2c, 0x31, 0x65, 0x39, 0x39, 0x39, 0x5d),
    [" utf-8", "/1 inexact-number"],
  ],
  ["a surrogate encoded in UTF-8", bytes(0x22, 0xed, 0xa0, 0x80, 0x22), [" utf-8"]],
  ["nesting deeper than 64", `${"[".repeat(65)}${"]".repeat(65)}`, [`${"/0".repeat(64)} depth`]],
  ["nesting without end", "[".repeat(100_000), [`${"/0".repeat(64)} depth`]],
  ["nothing", "", [" syntax"]],
  ["a byte order mark", bytes(0xef, 0xbb, 0xbf, 0x31), [" syntax"]],
  ["two values", "1 2", [" syntax"]],
  ["a trailing comma", '{"a":[1,]}', ["/a/1 syntax"]],
  ["a missing colon", '{"a" 1}', ["/a syntax"]],
  ["a name without quotes", "{a:1}", [" syntax"]],
  ["a leading zero", "[01]", [" syntax"]],
  ["a word", "[NaN]", ["/0 syntax"]],
  ["a text without end", '["abc', ["/0 syntax"]],
  ["a text that ends in a backslash", '["abc\\', ["/0 syntax"]],
  ["a bad escape", '["\\x"]', ["/0 syntax"]],
  ["a raw control character", '["\n"]', ["/0 syntax"]],
  ["a fault before the break", '{"a":1,"a":1e999,]', ["/a duplicate-key", "/a inexact-number", " syntax"]],
])("%s is refused with its place (C48)", (_name, source, rules) => {
  expect(rulesOf(() => parseJson(source))).toEqual(rules);
});

test("all violations of a request come at once, as invalid input (C48)", () => {
  const { code, details } = refusalOf(() => parseJson('{"id":12345678901234567890,\n "x":"\\u0000","x":1e999} ?'));

  expect(code).toBe("I-REQ-001");
  expect(details).toEqual({
    violations: [
      { pointer: "/id", rule: "unsafe-integer", message: "the integer is beyond 2^53-1; send it as text" },
      { pointer: "/x", rule: "null-character", message: "text holds U+0000" },
      { pointer: "/x", rule: "duplicate-key", message: "the name occurs twice in its object" },
      { pointer: "/x", rule: "inexact-number", message: "the number has no exact double; send fewer digits, or text" },
      { pointer: "", rule: "syntax", message: 'unexpected "?" at line 2, column 26' },
    ],
  });
});

test("a small request of nothing but faults gets a bounded answer", () => {
  const name = "n".repeat(60_000);
  const { details } = refusalOf(() => parseJson(`{"${name}":[${"1e999,".repeat(5_000)}1]}`));

  expect(details["violations"]).toHaveLength(1_001);
  expect(JSON.stringify(details).length).toBeLessThan(500_000);
  expect(() => canonicalJson(details)).not.toThrow();
});

test.each([
  "0",
  "-0",
  "1.0",
  "0.10",
  "1.50e1",
  "15E-1",
  "1e21",
  "6.02214076e23",
  "-9007199254740991",
  "9007199254740991",
  "5e-324",
  "1.7976931348623157e308",
  "0.30000000000000004",
  "0e999",
  "0.000e-999",
  "100000000000000000000.0",
  "1e+2",
  "0.1e-6",
  "[1e1,{}]",
  '"\\ud83d\\ude00"',
  '"\\\\u0000"',
  '"\\\\ud800"',
  '"\\\\"',
  '{"a":"\\"","b":"\\\\\\""}',
  '{"":{"":[]}}',
  '{"a:b":":","c":"1e999"}',
  ' \t\n\r{ "a" : [ 1 , true , false , null ] } ',
  `${"[".repeat(64)}${"]".repeat(64)}`,
])("%s is read as it is", (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
  expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
});

test("a member named __proto__ changes no prototype", () => {
  const parsed = parseJson('{"__proto__":{"polluted":true}}') as object;

  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  expect(Object.hasOwn(parsed, "__proto__")).toBe(true);
  expect("polluted" in {}).toBe(false);
});

const value = fc.jsonValue({ maxDepth: 8, stringUnit: "binary" });
const spaced = fc
  .tuple(value, fc.constantFrom(undefined, 1, "\t"))
  .map(([it, space]) => JSON.stringify(it, null, space));
const jsonLike = fc.oneof(
  spaced,
  fc.string({ unit: fc.constantFrom(...'{}[]",:0123456789.eE+- \\untrfals\ud800\0\n'.split("")) }),
  fc
    .tuple(spaced, fc.nat(), fc.constantFrom(...'{}[]",:0e.-\\\0\ud83d'.split("")))
    .map(([text, at, junk]) => spliced(text, at % (text.length + 1), junk)),
);

test("what is read and what JSON.parse reads is the same, and a refusal is always a typed one (C48)", () => {
  fc.assert(
    fc.property(jsonLike, (text) => {
      const native = attempted(() => JSON.parse(text) as unknown);
      const ours = attempted(() => parseJson(text));
      expect(ours.error === undefined || isToolError(ours.error)).toBe(true);
      expect(native.error === undefined || ours.error !== undefined).toBe(true);
      expect(ours.error ? undefined : ours.value).toEqual(ours.error ? undefined : native.value);
    }),
    { numRuns: 3_000 },
  );
});

test("a refusal always says where and why (C48)", () => {
  fc.assert(
    fc.property(jsonLike, (text) => {
      const { error } = attempted(() => parseJson(text));
      expect(error === undefined || rulesOf(() => parseJson(text)).length > 0).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

const digits = (size: number) =>
  fc.string({ unit: fc.constantFrom("0", "1", "5", "9"), minLength: 1, maxLength: size });
const { text: crowded } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc
      .tuple(fc.constantFrom("", "-", "1", "-9"), digits(20), fc.constantFrom("", ".", "e", "E-", ".0e+"), digits(3))
      .map((parts) => parts.join("")),
    fc.constantFrom('"a"', '"\\\\"', '"\\u00e9"', '"\\u0000"', '"\\ud83d"', '"\\\\ud83d:"', "null"),
    fc.array(tie("text"), { maxLength: 3 }).map((parts) => `[${parts.join(" ,")}]`),
    fc
      .array(fc.tuple(fc.constantFrom('"a"', '"b"', '"c"', '"\\u0061"'), tie("text")), { maxLength: 3 })
      .map((members) => `{${members.map((member) => member.join(": ")).join(",")}}`),
  ),
}));

test("the scan that spares the strict checker never lets through what that one refuses (C48)", () => {
  fc.assert(
    fc.property(fc.oneof(crowded, jsonLike), (text) => {
      expect(attempted(() => parseJson(text)).error === undefined).toBe(losslessViolations(text).length === 0);
    }),
    { numRuns: 5_000 },
  );
});

test("bytes are read as the text they encode, and never end in another error than ours", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (source) => {
      const { error } = attempted(() => parseJson(source));
      expect(error === undefined || isToolError(error)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(spaced, (text) => {
      expect(attempted(() => parseJson(Buffer.from(text)))).toEqual(attempted(() => parseJson(text)));
    }),
  );
});

test("every double survives a request, unless it reads as an integer that is not safe (A14)", () => {
  const doubles = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((it) => Number.isSafeInteger(it) || !/^-?\d+$/.test(String(it)));
  fc.assert(
    fc.property(doubles, (it) => {
      expect(parseJson(`[${it}]`)).toEqual([it === 0 ? 0 : it]);
    }),
  );
});

test("the value of a decimal decides, not its spelling (A14)", () => {
  const decimal = fc.tuple(
    fc.integer({ min: 1, max: 999_999 }),
    fc.integer({ min: -20, max: 20 }),
    fc.nat({ max: 30 }),
  );
  fc.assert(
    fc.property(decimal, ([whole, exponent, zeros]) => {
      expect(parseJson(`${whole}.${"0".repeat(zeros + 1)}e${exponent}`)).toBe(Number(`${whole}e${exponent}`));
    }),
  );
});

function spliced(text: string, at: number, junk: string): string {
  return text.slice(0, at) + junk + text.slice(at);
}

function attempted(act: () => unknown): { value?: unknown; error?: unknown } {
  try {
    return { value: act() };
  } catch (error) {
    return { error };
  }
}
