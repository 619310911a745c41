import { expect, test } from "vitest";
import { Duration, parseDuration } from "../../../toolpacks/contract/duration.ts";
import { Rate } from "../../../toolpacks/contract/rate.ts";

test.each([
  ["0s", 0],
  ["500ms", 500],
  ["60s", 60_000],
  ["10m", 600_000],
  ["1h", 3_600_000],
  ["7d", 604_800_000],
])("%s are %i milliseconds", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
  expect(Duration.parse(text)).toBe(ms);
});

test.each(["", "60", "60 s", "-1s", "1.5h", "1h30m", "1w", "1S", "99999999999999d"])("%j is no duration", (text) => {
  expect(() => parseDuration(text)).toThrow(RangeError);
  expect(Duration.safeParse(text).error?.issues[0]?.message).toMatch(/^expected a duration/);
});

test("a bare number is no duration: nobody knows its unit", () => {
  expect(Duration.safeParse(60).error?.issues[0]?.message).toMatch(/^expected a duration/);
});

test("a rate is a number of calls in a time", () => {
  expect(["50/s", "100/m", "1000/h"].map((text) => Rate.parse(text))).toEqual([
    { count: 50, perMs: 1_000 },
    { count: 100, perMs: 60_000 },
    { count: 1_000, perMs: 3_600_000 },
  ]);
});

test.each(["", "50", "0/s", "-1/s", "50/d", "1.5/s", "50 / s", 50])("%j is no rate", (value) => {
  expect(Rate.safeParse(value).error?.issues[0]?.message).toMatch(/^expected a rate/);
});
