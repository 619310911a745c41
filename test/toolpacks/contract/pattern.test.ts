import fc from "fast-check";
import { expect, test } from "vitest";
import { matches } from "../../../toolpacks/contract/pattern.ts";

test.each([
  ["artifact_*", ["artifact_", "artifact_get"], ["artifact", "my_artifact_get", ""]],
  ["*", ["", "a"], []],
  ["", [""], ["a"]],
  ["http_send", ["http_send"], ["http_send2", "http_sen", "HTTP_SEND"]],
  ["*_get", ["run_get", "_get"], ["get", "run_gets"]],
  ["a*b*c", ["abc", "axxbyyc", "abbcc"], ["acb", "ab", "abcd"]],
  ["a*a", ["aa", "aba"], ["a"]],
  ["a**b", ["ab", "axb"], ["a"]],
  ["a.c", ["a.c"], ["abc"]],
  ["[ab]?", ["[ab]?"], ["a", "ab"]],
])("%j fits what it spells, with * for any text", (pattern, fitting, others) => {
  expect(fitting.filter((name) => !matches(pattern, name))).toEqual([]);
  expect(others.filter((name) => matches(pattern, name))).toEqual([]);
});

test("a pattern fits just what a regular expression with .* for * does", () => {
  const text = (units: string[]) => fc.string({ unit: fc.constantFrom(...units), maxLength: 8 });
  fc.assert(
    fc.property(text(["a", "b", "*"]), text(["a", "b"]), (pattern, name) => {
      expect(matches(pattern, name)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name));
    }),
    { numRuns: 2_000 },
  );
});
