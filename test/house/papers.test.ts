import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { pathsOf, sourceFilesOf, type SourceFile } from "./source-files.ts";
import { quietBreaksOf } from "./version-bumps.ts";

const root = join(import.meta.dirname, "..", "..");
const papers = sourceFilesOf(root, (path) => path.endsWith(".md"));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

describe("a reader of the papers", () => {
  test("finds every file that they link to (C143)", () => {
    expect(papers.flatMap(deadLinksOf)).toEqual([]);
  });

  test("finds every script that they mention (C143)", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
    const mentioned = papers.flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpm run ([a-z]+)/g)].map(([, script = ""]) => ({ path, script })),
    );

    expect(mentioned.filter(({ script }) => !(script in scripts))).toEqual([]);
  });
});

describe("the changelog", () => {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");

  test("tells what this version changed (C143)", () => {
    const sections = [...changelog.matchAll(/^## \[(.+?)\]/gm)].map(([, section]) => section);

    expect(sections[0]).toBe("Unreleased");
    expect(sections).toContain(version);
  });

  test("has no breaking change without a bump that says so (C141)", () => {
    expect(quietBreaksOf(changelog)).toEqual([]);
  });

  test.each([
    ["2.0.0", "1.9.3", []],
    ["1.10.0", "1.9.3", ["1.10.0"]],
    ["1.9.4", "1.9.3", ["1.9.4"]],
    ["0.2.0", "0.1.9", []],
    ["0.1.10", "0.1.9", ["0.1.10"]],
  ])("would be told of a breaking %s after %s (C141)", (next, before, quiet) => {
    const text = `# Changelog\n\n## [Unreleased]\n\n## [${next}]\n\n### Breaking\n- x\n\n## [${before}]\n`;

    expect(quietBreaksOf(text)).toEqual(quiet);
  });
});

test("decision records are numbered in order, have three parts, and fit a page (C143)", () => {
  const records = papers.filter(({ path }) => /^docs\/decisions\/\d/.test(path));

  expect(records.map(({ path }) => Number(basename(path).slice(0, 4)))).toEqual(records.map((_, index) => index + 1));
  expect(records.filter(({ text }) => headingsOf(text) !== "Context, Decision, Consequence")).toEqual([]);
  expect(records.filter(({ text }) => text.split("\n").length > 60)).toEqual([]);
});

const folders = [
  ...["toolpacks/contract", "toolpacks/packs", "toolpacks/loaders", "ledger", "activities", "workflows", "temporal"],
  ...["gateway", "cli", "infra", "test", "bench"],
];
const standing = folders.filter((folder) => existsSync(join(root, folder)));

describe.each(standing)("the README of %s", (folder) => {
  test("says in twenty lines what lies there (C143)", () => {
    const readme = readFileSync(join(root, folder, "README.md"), "utf8");
    const unnamed = childrenOf(folder).filter((child) => !readme.includes(child));

    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
    expect(unnamed).toEqual([]);
  });
});

/** The files and folders directly within, as a README may call them: `run-id.ts`, `run-id` and `server/` are all found by name. */
function childrenOf(folder: string): string[] {
  const inside = pathsOf(root).filter((path) => path.startsWith(`${folder}/`));
  const names = inside.map((path) => path.slice(folder.length + 1).split("/")[0] ?? "");
  return [...new Set(names)].filter((name) => name !== "README.md").map((name) => name.replace(/\.(ts|mjs)$/, ""));
}

function headingsOf(text: string): string {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading).join(", ");
}

function deadLinksOf({ path, text }: SourceFile): string[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets
    .filter((target) => !/^[a-z]+:|^#/.test(target))
    .filter((target) => !stands(posix.join(posix.dirname(path), target.replace(/#.*$/, ""))))
    .map((target) => `${path} -> ${target}`);
}

const stands = (path: string) => statSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
