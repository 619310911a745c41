import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { loadPack } from "../../../toolpacks/loaders/load-pack.ts";
import { createRegistry } from "../../../toolpacks/loaders/registry.ts";
import { toolFor } from "../../kit/tools.ts";

const tool = (name: string, version: string) => toolFor({ name, version, run: async () => null });
const artifacts = new URL("../../../toolpacks/packs/artifacts/", import.meta.url);

test("tools are listed by name, each in its newest version", () => {
  const registry = createRegistry([tool("b", "1.0.0"), tool("a", "1.0.0"), tool("b", "1.2.0")]);

  expect(registry.list().map(({ toolName, version }) => [toolName, version])).toEqual([
    ["a", "1.0.0"],
    ["b", "1.2.0"],
  ]);
});

test("a tool that is defined twice in the same version stops the start", () => {
  expect(() => createRegistry([tool("a", "1.0.0"), tool("a", "1.0.0")])).toThrow(/defined twice/);
});

test("a pack that ships is loaded with schemas and one digest for its build", async () => {
  const tools = await loadPack(artifacts);

  expect(tools.map(({ toolName }) => toolName).toSorted()).toEqual([
    "artifact_get",
    "artifact_import",
    "artifact_list",
    "artifact_preview_image",
    "artifact_preview_report",
    "artifact_preview_table",
    "artifact_preview_text",
    "artifact_tree",
  ]);
  expect(new Set(tools.map(({ digest }) => digest)).size).toBe(1);
  expect(tools.every(({ inputSchema }) => inputSchema["additionalProperties"] === false)).toBe(true);
});

test("a pack's digest is of its content: the same code is the same build, changed code is another", async () => {
  const folder = await mkdtemp(join(tmpdir(), "helixrun-pack-"));
  const url = pathToFileURL(`${folder}/`);
  await writeFile(join(folder, "pack.ts"), "export const tools = [];\n");
  const contract = new URL("../../../toolpacks/packs/artifacts/pack.ts", import.meta.url);
  await writeFile(join(folder, "pack.ts"), `export { tools } from ${JSON.stringify(contract.href)};\n`);

  const once = (await loadPack(url))[0]?.digest;
  const again = (await loadPack(url))[0]?.digest;
  await writeFile(join(folder, "notes.txt"), "changed");
  const changed = (await loadPack(url))[0]?.digest;

  expect(again).toBe(once);
  expect(changed).not.toBe(once);
});

test("a folder whose pack module exports no tools is refused by name", async () => {
  const folder = await mkdtemp(join(tmpdir(), "helixrun-pack-"));
  await writeFile(join(folder, "pack.ts"), "export const tool = 1;\n");

  await expect(loadPack(pathToFileURL(`${folder}/`))).rejects.toThrow(/is no pack/);
});

test.each([
  ["a name with a capital", { name: "Tool" }],
  ["a version that is not SemVer", { name: "tool", version: "1.0" }],
])("%s breaks the ABI, and the start", (_name, shape) => {
  expect(() => toolFor({ ...shape, run: async () => null })).toThrow(/breaks ABI v1/);
});
