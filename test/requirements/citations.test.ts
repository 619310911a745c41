import { expect, test } from "vitest";
import { citations, citationsOf } from "./citations.ts";
import { coverageOf } from "./coverage.ts";
import { requirements } from "./requirements.ts";

const root = new URL("../..", import.meta.url).pathname;
const fileWith = (title: string) => ({ path: "test/a.test.ts", text: `test("${title}", () => {});` });

test("every requirement has one number and one line", () => {
  const all = requirements();

  expect(all.length).toBe(342);
  expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
  expect(all.filter(({ text }) => text === "")).toEqual([]);
});

test("a requirement keeps its mark and what was decided", () => {
  const byNumber = new Map(requirements().map((each) => [each.number, each]));

  expect(byNumber.get("C138")).toMatchObject({ mark: "proc", text: "CI fails on any warning." });
  expect(byNumber.get("T10")).toMatchObject({ mark: undefined, decided: "^v[1-9][0-9]*$" });
});

test("every number cited in a test title exists", () => {
  expect(coverageOf(requirements(), citations(root)).unknown).toEqual([]);
});

test("a citation of a number that does not exist is found", () => {
  const numbers = "C10, C999"; // apart from its parentheses: a title in this file would be a citation of this file's
  const cited = citationsOf(fileWith(`a claim (${numbers})`));

  expect(coverageOf(requirements(), cited).unknown).toEqual(["test/a.test.ts: C999"]);
});

test.each(["C10-C12", "C10, C11 and C12", "C10 to C12", "C10,C12"])("the citation %s is refused", (numbers) => {
  expect(() => citationsOf(fileWith(`a claim (${numbers})`))).toThrow("cite as");
});

test.each(["no number at all", "a number (C10) in the middle", "in parentheses (a POSIX path)"])(
  "a title with %s cites nothing",
  (title) => {
    expect(citationsOf(fileWith(title))).toEqual([]);
  },
);
