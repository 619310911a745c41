import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { importFaultsOf } from "./import-directions.ts";
import { sourceFilesOf } from "./source-files.ts";

type StepEnd = { readonly ok: boolean; readonly output: string };

/** What `npm run check` does, by name. A warning counts as a fault in every one of them (C138). */
export const steps = {
  types: command("tsc", "--noEmit", "--pretty", "false", "-p", "."),
  lint: command("oxlint", "--type-aware", "--deny-warnings", "--report-unused-disable-directives-severity=error"),
  imports: checkImports,
  format: command("oxfmt", "--check", "."),
  unused: command("knip", "--no-progress", "--treat-config-hints-as-errors", "--treat-tag-hints-as-errors"),
} satisfies Record<string, (root: string) => Promise<StepEnd>>;

export type StepName = keyof typeof steps;

async function checkImports(root: string): Promise<StepEnd> {
  const faults = importFaultsOf(sourceFilesOf(root, (path) => /\.(ts|mjs)$/.test(path)));
  return { ok: faults.length === 0, output: faults.join("\n") };
}

function command(program: string, ...args: readonly string[]) {
  return function runCommand(root: string): Promise<StepEnd> {
    const { promise, resolve, reject } = Promise.withResolvers<StepEnd>();
    const bin = join(root, "node_modules", ".bin");
    // The tools are scripts that ask for "node": with our bin folder first they get the one we ship.
    const env = { ...process.env, PATH: bin + delimiter + process.env["PATH"], FORCE_COLOR: "0" };
    const child = spawn(join(bin, program), args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ ok: code === 0, output: output.trim() }));
    return promise;
  };
}
