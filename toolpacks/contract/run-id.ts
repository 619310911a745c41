import { base32 } from "./base32.ts";
import { canonicalBytes } from "./canonical-json.ts";
import { hashBytesOf } from "./hash.ts";
import { type ContractVersion, type ProjectId, RunId, type Sha256, type ToolName } from "./ids.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { parseJson } from "./parse-json.ts";

/** What the gateway alone adds to a run's identity; absent members are left out, never null. */
export type Sys = {
  project: ProjectId;
  build: { id: string; version: string; digest: Sha256 };
  /** Idempotent and side-effectful tools only: a pure tool's identity needs no key. */
  key?: { actor: string; fn: string; key: string };
};

type Identity = { tool: ToolName; contractVersion: ContractVersion; policyHash: Sha256; paramsHash: Sha256 };

/** The canonical params as they are hashed and stored once in param_sets (A11, A12). */
export function paramsBytesOf(sys: Sys, params: Json): Uint8Array<ArrayBuffer> {
  return canonicalBytes({ sys, params });
}

/** The tool's own part of stored canonical params. */
export function paramsOf(bytes: Uint8Array): JsonObject {
  const stored = parseJson(bytes);
  const params = isJsonObject(stored) ? stored["params"] : undefined;
  if (!isJsonObject(params)) throw new Error("stored params are an object with sys and params");
  return params;
}

/** The same four always give the same run (T2, A9). Another recipe would be `run2_`, so that old ids stay valid. */
export function runIdOf({ tool, contractVersion, policyHash, paramsHash }: Identity): RunId {
  return RunId.parse(`run_${base32(hashBytesOf([tool, contractVersion, policyHash, paramsHash]))}`);
}
