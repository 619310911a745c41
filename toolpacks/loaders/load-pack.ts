import { readdir, readFile } from "node:fs/promises";
import { hashOf, sha256Hex } from "../contract/hash.ts";
import type { Sha256 } from "../contract/ids.ts";
import type { ToolDefinition, ToolSource } from "../contract/tool-definition.ts";
import { definitionOf } from "./typescript-abi.ts";

/** Loads a pack that ships with us: a folder whose `pack` module exports `tools`. */
export async function loadPack(folder: URL): Promise<ToolDefinition[]> {
  const pack: unknown = await import(new URL("pack.ts", folder).href);
  if (!isPack(pack)) throw new Error(`${folder.pathname} is no pack: its pack.ts must export the list \`tools\`.`);
  const digest = await digestOf(folder);
  return pack.tools.map((source) => definitionOf(source, digest));
}

function isPack(module: unknown): module is { tools: ToolSource<never>[] } {
  return typeof module === "object" && module !== null && "tools" in module && Array.isArray(module.tools);
}

/** The digest of a pack is the hash of its files: a build is known by its content, so changed code is another build. */
async function digestOf(folder: URL): Promise<Sha256> {
  const names = (await readdir(folder)).toSorted();
  const files = names.map(async (name) => [name, sha256Hex(await readFile(new URL(name, folder)))] as const);
  return hashOf(await Promise.all(files));
}
