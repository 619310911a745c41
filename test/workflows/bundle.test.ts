import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../cli/config.ts";
import { buildBundle, bundlePath } from "../../temporal/workflow-bundle.ts";

test("the workflow bundle holds of ours only workflows, the contract, and what crosses Temporal", async () => {
  const path = join(await mkdtemp(join(tmpdir(), "helixrun-bundle-")), "workflows.js");
  await buildBundle(path); // here, because the names in it are relative to where it is built

  const code = await readFile(path, "utf8");
  const ours = [...code.matchAll(/"\.\/([a-z][a-z-]*\/[^"]+?\.ts)"/g)]
    .map(([, file]) => String(file))
    .filter((file) => !file.startsWith("node_modules/"));

  expect(ours).toContain("workflows/run.ts");
  expect(
    ours.filter(
      (file) =>
        !/^(workflows|toolpacks\/contract)\/|^temporal\/(failures|payload-converter|search-attributes)\.ts$/.test(file),
    ),
  ).toEqual([]);
});

test("the bundle is built once for each version of the code", async () => {
  const path = await bundlePath(readConfig().cacheDir);
  await buildBundle(path);
  const before = await readFile(path);

  await buildBundle(path);

  expect(await bundlePath(readConfig().cacheDir)).toBe(path);
  expect(await readFile(path)).toEqual(before);
});
