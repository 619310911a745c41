import { join } from "node:path";

import { canonicalBytes } from "../../toolpacks/contract/canonical-json.ts";
import { Grants, grantsHashOf } from "../../toolpacks/contract/grants.ts";
import type { Sha256 } from "../../toolpacks/contract/ids.ts";
import { checkConfiguration } from "./check-configuration.ts";
import { defaultGrants } from "./default-grants.ts";
import { readYaml } from "./read-yaml.ts";

/** `bytes` are the canonical ones that the hash is of. */
export type LoadedGrants = { grants: Grants; hash: Sha256; bytes: Uint8Array };

/** The grants of a deployment: its grants.yaml, or the default ones. */
export async function loadGrants({ dir }: { dir: string }): Promise<LoadedGrants> {
  const file = await readYaml(join(dir, "grants.yaml"));
  const grants = checkConfiguration({
    schema: Grants,
    value: file ? file.value : defaultGrants,
    placeOf: file?.placeOf ?? (() => "the default grants"),
  });
  return { grants, hash: grantsHashOf(grants), bytes: canonicalBytes(grants) };
}
