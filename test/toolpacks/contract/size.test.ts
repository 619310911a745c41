import { expect, test } from "vitest";
import { parseSize, Size } from "../../../toolpacks/contract/size.ts";

test.each([
  ["0B", 0],
  ["512B", 512],
  ["64KiB", 65_536],
  ["1MiB", 1_048_576],
  ["5GiB", 5_368_709_120],
  ["2TiB", 2_199_023_255_552],
])("%s are %i bytes", (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
  expect(Size.parse(text)).toBe(bytes);
});

test("a whole number is a number of bytes", () => {
  expect(Size.parse(1024)).toBe(1024);
});

test.each(["", "5", "5GB", "5 GiB", "5gib", "-1B", "1.5GiB", "05B", "99999999TiB", "5GiB\n"])(
  "%j is no size",
  (text) => {
    expect(() => parseSize(text)).toThrow(RangeError);
    expect(Size.safeParse(text).error?.issues[0]?.message).toMatch(/^expected a size such as "64KiB"/);
  },
);

test.each([-1, 1.5, Number.NaN, null, true])("%j is no size", (value) => {
  expect(Size.safeParse(value).error?.issues[0]?.message).toMatch(/^expected a size such as "64KiB"/);
});
