import { expect, test } from "vitest";
import config from "../../vitest.config.ts";
import { sourceFilesOf } from "./source-files.ts";

const root = new URL("../..", import.meta.url).pathname;

test("no test is tried again after it failed (C140)", () => {
  const settings = JSON.stringify(config);
  const tests = sourceFilesOf(root, (path) => /^test\/.*\.ts$/.test(path) && !path.startsWith("test/house/"));
  const retrying = tests.filter(({ text }) => /\bretry: [1-9]|\brepeats: /.test(text));

  expect(config.test?.retry).toBe(0);
  expect(settings.match(/"retry":/g)).toHaveLength(1);
  expect(config.test?.bail).toBeUndefined();
  expect(retrying.map(({ path }) => path)).toEqual([]);
});

test("the contract, admission and the ledger each have a coverage floor (C139)", () => {
  const floors = Object.entries(config.test?.coverage?.thresholds ?? {}) as [string, { lines: number }][];

  expect(floors.map(([folder]) => folder)).toEqual(["toolpacks/contract/**", "gateway/admission/**", "ledger/**"]);
  expect(floors.filter(([, floor]) => floor.lines < 85)).toEqual([]);
});
