import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "helixrun-guide-"));
});
afterAll(async () => {
  await run("npx helixrun down");
  await rm(dataDir, { recursive: true, force: true });
});

test(
  "the guide to a first import does what it says, command by command (A2, A4, C143)",
  { timeout: 120_000 },
  async () => {
    const examples = examplesIn(await readFile(join(root, "docs", "guide", "import-a-file.md"), "utf8"));
    expect(examples.length).toBeGreaterThan(5);

    for (const { commands, lines } of examples) {
      const said = await run(commands);
      const missing = lines.filter((line) => !patternOf(line).test(said));
      expect({ commands, missing, said: missing.length > 0 ? said : "" }).toEqual({ commands, missing: [], said: "" });
    }
  },
);

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

async function run(commands: string): Promise<string> {
  const env = { ...process.env, HELIXRUN_DATA: dataDir };
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands], { cwd: root, env });
  return stdout;
}
