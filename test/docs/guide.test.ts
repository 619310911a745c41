import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");

test.each([
  { page: "import-a-file.md", about: "a first import (A2, A4, C143)" },
  { page: "artifacts.md", about: "lists, previews, trees, uploads and downloads (A1, A2, A3, A39)" },
  { page: "keep-and-verify.md", about: "retention, collection and verification (A39)" },
  { page: "receipts-and-lineage.md", about: "receipts and lineage (A35, A38)" },
  { page: "backup-and-restore.md", about: "backup and restore (A38, C143)" },
])("the guide does what it says, command by command: $about", { timeout: 300_000 }, async ({ page }) => {
  const examples = examplesIn(await readFile(join(root, "docs", "guide", page), "utf8"));
  const run = await freshShell();
  expect(examples.length).toBeGreaterThan(4);

  for (const { commands, lines } of examples) {
    const said = await run(commands);
    const missing = lines.filter((line) => !patternOf(line).test(said));
    expect({ commands, missing, said: missing.length > 0 ? said : "" }).toEqual({ commands, missing: [], said: "" });
  }
});

type Example = { commands: string; lines: string[] };

/** A block of commands, followed by a block of lines that their output must hold ("…" stands for anything). */
function examplesIn(text: string): Example[] {
  const pairs = text.matchAll(/```sh\n([^]*?)```\n```text\n([^]*?)```/g);
  return [...pairs].map(([, commands = "", lines = ""]) => ({ commands, lines: lines.trimEnd().split("\n") }));
}

function patternOf(line: string): RegExp {
  const escaped = line.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(escaped.join(".*"));
}

/** Runs commands as a reader would, with a data directory of one's own; what they leave beside it goes with it. */
async function freshShell(): Promise<(commands: string) => Promise<string>> {
  const home = await mkdtemp(join(tmpdir(), "helixrun-guide-"));
  await chmod(home, 0o711); // PostgreSQL's own account passes through
  const env = { ...process.env, HELIXRUN_DATA: join(home, "data") };
  const run = async (commands: string) =>
    (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands], { cwd: root, env })).stdout;
  onTestFinished(async () => {
    await run('for data in "$HELIXRUN_DATA" "$HELIXRUN_DATA-restored"; do npx helixrun down --data "$data"; done');
    await rm(home, { recursive: true, force: true });
  });
  return run;
}
