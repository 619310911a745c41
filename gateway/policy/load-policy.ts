import { join } from "node:path";

import { canonicalBytes } from "../../toolpacks/contract/canonical-json.ts";
import type { Sha256 } from "../../toolpacks/contract/ids.ts";
import { Policy, policyHashOf } from "../../toolpacks/contract/policy.ts";
import { checkConfiguration } from "./check-configuration.ts";
import { defaultPolicy } from "./default-policy.ts";
import { expandVariables } from "./expand-variables.ts";
import { readYaml } from "./read-yaml.ts";

/** `bytes` are the canonical ones that the hash is of. */
export type LoadedPolicy = { policy: Policy; hash: Sha256; bytes: Uint8Array };

type NamedRoot = { name: string; path: string };
type Deployment = { dir: string; importRoots: readonly NamedRoot[]; env: Record<string, string | undefined> };

/** The policy of a deployment: its policy.yaml or the default one, and the import roots that the user named besides. */
export async function loadPolicy({ dir, importRoots, env }: Deployment): Promise<LoadedPolicy> {
  const file = await readYaml(join(dir, "policy.yaml"));
  const placeInFile = file?.placeOf ?? (() => "the default policy");
  const { value, found } = expandVariables(file ? file.value : defaultPolicy, env);
  const written = writtenRoots(value);
  const policy = checkConfiguration({
    schema: Policy,
    value: withRoots(value, [...written, ...importRoots]),
    placeOf: (pointer) => placeOfNamedRoot(pointer, written.length, importRoots) ?? placeInFile(pointer),
    found,
  });
  return { policy, hash: policyHashOf(policy), bytes: canonicalBytes(policy) };
}

function writtenRoots(value: unknown): unknown[] {
  return hasMembers(value) && Array.isArray(value.import_roots) ? value.import_roots : [];
}

/** What is no list of roots is left for the schema to refuse. */
function withRoots(value: unknown, roots: unknown[]): unknown {
  if (!hasMembers(value) || (value.import_roots !== undefined && !Array.isArray(value.import_roots))) return value;
  return { ...value, import_roots: roots };
}

function placeOfNamedRoot(pointer: string, written: number, importRoots: readonly NamedRoot[]): string | undefined {
  const [, index] = /^\/import_roots\/(\d+)/.exec(pointer) ?? [];
  const root = index === undefined ? undefined : importRoots[Number(index) - written];
  return root && `the import root ${root.name}=${root.path} named at the start`;
}

function hasMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
