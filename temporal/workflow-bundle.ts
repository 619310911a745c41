import { createHash } from "node:crypto";
import { glob, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger } from "@temporalio/worker";
import { payloadConverterPath } from "./data-converter.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const workflowsPath = join(root, "workflows", "workflows.ts");

/** Where the bundle of today's workflow code is, or will be: its name is the hash of all that goes into it. */
export async function bundlePath(cacheDir: string): Promise<string> {
  const hash = createHash("sha256").update(sdkVersion());
  const sources = await Array.fromAsync(glob("{workflows,toolpacks/contract,temporal}/**/*.ts", { cwd: root }));
  for (const source of sources.toSorted()) hash.update(source).update(await readFile(join(root, source)));
  return join(cacheDir, "workflow-bundles", `${hash.digest("hex").slice(0, 32)}.js`);
}

/** Bundles the workflows once, so that a worker starts in 0.7 instead of 1.8 s and holds 125 MB less. */
export async function buildBundle(path: string): Promise<void> {
  if (await stat(path).catch(() => undefined)) return;
  const logger = new DefaultLogger("ERROR");
  const { code } = await bundleWorkflowCode({ workflowsPath, payloadConverterPath, logger });
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, code);
  await rename(unfinished, path);
}

function sdkVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)("@temporalio/worker/package.json");
  return JSON.stringify(manifest);
}
