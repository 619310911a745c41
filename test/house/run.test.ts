import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const settings = [".gitignore", ".oxlintrc.json", ".oxfmtrc.json", "knip.json"];
const runner = [
  ...settings,
  "vitest.config.ts",
  "package.json",
  "tsconfig.json",
  "test/run.ts",
  "test/house",
  "test/kit/component.ts",
];
let house: string;

beforeEach(() => {
  house = mkdtempSync(join(tmpdir(), "helixrun-run-"));
  const isNoTest = (path: string) => !path.endsWith(".test.ts");
  for (const path of runner) cpSync(join(root, path), join(house, path), { recursive: true, filter: isNoTest });
  execFileSync("git", ["init", "--quiet"], { cwd: house });
  symlinkSync(join(root, "node_modules"), join(house, "node_modules"));
});

afterEach(() => rmSync(house, { recursive: true, force: true }));

function plant(path: string, text: string) {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

function run(filters: readonly string[], extraEnv: Record<string, string> = {}) {
  const env = { ...process.env, NO_COLOR: "1", VITEST: "", VITEST_WORKER_ID: "", VITEST_POOL_ID: "", ...extraEnv };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["test/run.ts", ...filters], { cwd: house, env });
  const lines = stdout.toString().trimEnd().split("\n");
  return { status, lastLine: lines.at(-1), output: stdout.toString() + stderr.toString() };
}

describe("the last line counts, and the exit code tells, when", () => {
  const good = 'test("holds", () => expect(1).toBe(1));';
  test.each([
    ["all is well", good, 0, "1 passed, 0 failed, 0 skipped"],
    ["one is skipped", `${good} test.skip("later", () => {});`, 0, "1 passed, 0 failed, 1 skipped"],
    ["one fails", `${good} test("breaks", () => expect(1).toBe(2));`, 1, "1 passed, 1 failed, 0 skipped"],
    ["a file does not load", 'throw new Error("no");', 1, "0 passed, 1 failed, 0 skipped"],
    ["nobody catches an error", `${good} void Promise.reject(new Error("no"));`, 1, "1 passed, 1 failed, 0 skipped"],
    ["a hook fails", `${good} afterAll(() => expect(1).toBe(2));`, 1, "1 passed, 1 failed, 0 skipped"],
    ["only skipped tests are left", 'test.skip("later", () => {});', 1, "0 passed, 0 failed, 1 skipped"],
    ["one asks to run alone", 'test.only("alone", () => {});', 1, "0 passed, 1 failed, 0 skipped"],
    ["a process warns (C138)", `${good} process.emitWarning("old");`, 1, "1 passed, 1 failed, 0 skipped"],
  ])("%s", (_, body, status, lastLine) => {
    plant("test/toolpacks/a.test.ts", `import { afterAll, expect, test } from "vitest"; ${body} void afterAll;`);

    expect(run(["a.test"])).toMatchObject({ status, lastLine });
  });

  test("there is no test", () => {
    expect(run(["nothing-is-called-this"])).toMatchObject({ status: 1, lastLine: "0 passed, 0 failed, 0 skipped" });
  });
});

describe("a test whose component is missing", () => {
  const away = { PATH: "", HELIXRUN_CACHE: "/nowhere", HELIXRUN_REQUIRE: "", TEMPORAL_ADDRESS: "" };
  beforeEach(() =>
    plant(
      "test/toolpacks/a.test.ts",
      `import { expect, test } from "vitest"; import { describeWith } from "../kit/component.ts";
       test("holds", () => expect(1).toBe(1));
       describeWith("temporal", "with Temporal", () => test("starts", () => expect(process.env.PATH).not.toBe("")));`,
    ),
  );

  test("is skipped where nobody asked for it", () => {
    expect(run(["a.test"], away)).toMatchObject({ status: 0, lastLine: "1 passed, 0 failed, 1 skipped" });
  });

  test("runs, and fails, where it is required", () => {
    const required = { ...away, HELIXRUN_REQUIRE: "postgres,temporal" };

    expect(run(["a.test"], required)).toMatchObject({ status: 1, lastLine: "1 passed, 1 failed, 0 skipped" });
  });
});

test("a test that would pass at the second asking fails (C140)", () => {
  plant(
    "test/toolpacks/a.test.ts",
    'import { expect, test } from "vitest"; let asked = 0; test("flakes", () => expect(++asked).toBe(2));',
  );

  expect(run(["a.test"])).toMatchObject({ status: 1, lastLine: "0 passed, 1 failed, 0 skipped" });
});

test("a folder below its coverage floor fails the run (C139)", () => {
  plant("toolpacks/contract/half.ts", "export const half = (n: number) => {\n  if (n) return 1;\n  return 2;\n};\n");
  plant(
    "test/toolpacks/half.test.ts",
    'import { expect, test } from "vitest"; import { half } from "../../toolpacks/contract/half.ts"; test("half", () => expect(half(1)).toBe(1));',
  );

  const { status, output } = run([]);

  expect(status).toBe(1);
  expect(output).toMatch(/Coverage for lines .* does not meet "toolpacks\/contract\/\*\*" threshold \(90%\)/);
  expect(output).toContain("a coverage floor");
});
