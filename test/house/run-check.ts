import { steps, type StepName } from "./steps.ts";

/** Runs all steps side by side, prints a line for each as it ends, and returns the names of those that failed. */
export async function runCheck(root: string, print: (line: string) => void): Promise<string[]> {
  const names = Object.keys(steps) as StepName[];
  const ends = await Promise.all(names.map((name) => runStep(name, root, print)));
  return ends.filter((end) => !end.ok).map((end) => end.name);
}

async function runStep(name: StepName, root: string, print: (line: string) => void) {
  const begin = performance.now();
  const { ok, output } = await steps[name](root).catch((error: unknown) => ({ ok: false, output: String(error) }));
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  print(`${ok ? "ok  " : "FAIL"}  ${name.padEnd(8)} ${seconds.padStart(5)} s`);
  if (!ok) print(output.replaceAll(/^/gm, "      "));
  return { name, ok };
}
