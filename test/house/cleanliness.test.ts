import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFilesOf, type SourceFile } from "./source-files.ts";

const root = join(import.meta.dirname, "..", "..");
const notOurs = /^(LICENSE|package-lock\.json|infra\/temporal-cli\/go\.sum)$/;
const files = sourceFilesOf(root, (path) => !notOurs.test(path));

const linesWith = (pattern: RegExp, among: readonly SourceFile[] = files) =>
  among.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );

test("nothing in code or papers is put off with a mark (C17)", () => {
  const marks = /\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b/; // the brackets keep this line from finding itself
  const law = "test/requirements/requirements.txt"; // it names the marks that it forbids

  expect(linesWith(marks).filter((line) => !line.startsWith(`${law}:`))).toEqual([]);
});

test("no path of somebody's machine is committed", () => {
  expect(linesWith(/(?<![\w.$}])\/((home|Users)\/[\w.-]+|work\/(main|shared))\b/)).toEqual([]);
});

test("no secret is committed", () => {
  const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
  const knownToken = /\b(ghp_|github_pat_|npm_|sk-|xox[abp]-|AKIA)[A-Za-z0-9]{16,}/;
  const passwordInUrl = /:\/\/[^\s/:@"'`$]+:[^\s/@"'`$]+@/;

  expect([privateKey, knownToken, passwordInUrl].flatMap((pattern) => linesWith(pattern))).toEqual([]);
});

test("the lockfile names no registry host, so that every machine may use its own", () => {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");

  expect(lock.match(/"resolved": "http/g)).toBeNull();
  expect(
    linesWith(
      /^\s*(registry|\/\/.*:_auth\w*)\s*=/,
      files.filter(({ path }) => path.endsWith(".npmrc")),
    ),
  ).toEqual([]);
});
