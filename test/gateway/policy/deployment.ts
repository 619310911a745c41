import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ConfigurationError } from "../../../gateway/policy/configuration-error.ts";

/** A deployment's folder with these files in it, gone after the test. */
export async function deploymentWith(files: Record<string, string | Uint8Array>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "helixrun-policy-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(join(dir, name), content)));
  return dir;
}

/** What stops the start, a line each, with file names relative to the deployment's folder. */
export async function faultsOf(dir: string, loading: Promise<unknown>): Promise<string[]> {
  const error: unknown = await loading.then(
    () => new Error("nothing was refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigurationError)) throw error;
  return error.faults.map(({ place, message, fix }) => `${place} ${message} ${fix}`.replaceAll(`${dir}/`, ""));
}
