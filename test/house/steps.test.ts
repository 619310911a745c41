import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { steps, type StepName } from "./steps.ts";

const root = join(import.meta.dirname, "..", "..");
let house: string;

// A house of two rooms under our own rules, in good order until a test plants a fault in it.
const goodOrder = {
  "package.json": '{ "name": "house", "private": true, "type": "module", "dependencies": {} }\n',
  "knip.json": '{ "entry": ["cli/main.ts"], "project": ["**/*.ts"] }\n',
  ".gitignore": "node_modules\n",
  "cli/main.ts": 'import { answer } from "../ledger/answer.ts";\n\nconsole.log(answer);\n',
  "ledger/answer.ts": "export const answer = 42;\n",
};

beforeEach(() => {
  house = mkdtempSync(join(tmpdir(), "helixrun-house-"));
  for (const file of ["tsconfig.json", ".oxlintrc.json"]) copyFileSync(join(root, file), join(house, file));
  // Others' files are not for this test to judge: only what it wrote itself is formatted here.
  writeFileSync(join(house, ".oxfmtrc.json"), '{ "printWidth": 120, "ignorePatterns": ["*.json"] }\n');
  symlinkSync(join(root, "node_modules"), join(house, "node_modules"));
  for (const [path, text] of Object.entries(goodOrder)) plant(path, text);
  execFileSync("git", ["init", "--quiet"], { cwd: house });
});

afterEach(() => rmSync(house, { recursive: true, force: true }));

function plant(path: string, text: string) {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

test.each(Object.keys(steps) as StepName[])("the step %s passes a house in good order", async (step) => {
  expect(await steps[step](house)).toMatchObject({ ok: true });
});

describe("the check fails on", () => {
  test.each<[fault: string, step: StepName, path: string, text: string, complaint: string]>([
    ["a wrong type (C138)", "types", "ledger/answer.ts", 'export const answer: number = "42";\n', "TS2322"],
    [
      "a promise nobody waits for (C138)",
      "lint",
      "ledger/answer.ts",
      "async function ask(): Promise<number> {\n  return 42;\n}\n\nask();\nexport const answer = 42;\n",
      "no-floating-promises",
    ],
    [
      "a word on the console outside the command line (C138)",
      "lint",
      "ledger/answer.ts",
      "export const answer = 42;\nconsole.log(answer);\n",
      "no-console",
    ],
    ["a default export (C138)", "lint", "ledger/answer.ts", "export default 42;\n", "no-default-export"],
    ["a file that is too long (C138)", "lint", "ledger/answer.ts", "void 0;\n".repeat(251), "max-lines"],
    [
      "an import in the wrong direction (C138)",
      "imports",
      "ledger/answer.ts",
      'import "../cli/main.ts";\n\nexport const answer = 42;\n',
      "ledger/ may not import cli/main.ts",
    ],
    ["a line out of shape (C138)", "format", "ledger/answer.ts", "export const answer = 42\n", "ledger/answer.ts"],
    [
      "an export that nobody uses (C138)",
      "unused",
      "ledger/answer.ts",
      "export const answer = 42;\nexport const question = 6 * 9;\n",
      "question",
    ],
    [
      "a file that nobody uses (C138)",
      "unused",
      "ledger/question.ts",
      "export const question = 6 * 9;\n",
      "Unused files",
    ],
    [
      "a dependency that nobody uses (C138)",
      "unused",
      "package.json",
      '{ "name": "house", "private": true, "type": "module", "dependencies": { "zod": "4.0.0" } }\n',
      "zod",
    ],
  ])("%s", async (_, step, path, text, complaint) => {
    plant(path, text);

    const end = await steps[step](house);

    expect(end.ok).toBe(false);
    expect(end.output).toContain(complaint);
  });
});
