import validRange from "semver/ranges/valid.js";
import { z } from "zod";

import { hashOf } from "./hash.ts";
import type { Sha256 } from "./ids.ts";
import { ImportRoot } from "./import-root.ts";

const ToolPattern = z.string().regex(/^[a-z0-9_*]+$/, { error: 'must be a tool name; "*" stands for any text' });
const VersionRange = z
  .string()
  .refine((range) => validRange(range) !== null, { error: 'must be a SemVer range such as ">=2 <3"' });
const VariableName = z.string().regex(/^[A-Z][A-Z0-9_]*$/, { error: "must be the name of an environment variable" });

/** policy.yaml: what may run at all. Each issue adds the keys that it enforces; a key that nothing enforces is refused. */
export const Policy = z.strictObject({
  version: z.literal(1, { error: "must be 1" }),
  expand: z.array(VariableName).optional(),
  tools: z.strictObject({
    allow: z.array(ToolPattern),
    deny: z.array(ToolPattern).optional(),
    versions: z.record(ToolPattern, VersionRange).optional(),
  }),
  import_roots: z.array(ImportRoot).superRefine(refuseSameName, { when: haveNames }).prefault([]),
  network: z.strictObject({ default: z.literal("none", { error: 'must be "none"' }) }).prefault({ default: "none" }),
});
export type Policy = z.infer<typeof Policy>;

/** The whole policy as loaded, after expansion (A10): it is in the identity of every run. */
export function policyHashOf(policy: Policy): Sha256 {
  return hashOf(policy);
}

function refuseSameName(roots: Pick<ImportRoot, "name">[], context: z.RefinementCtx): void {
  roots.forEach(({ name }, index) => {
    if (roots.findIndex((root) => root.name === name) < index)
      context.addIssue({
        code: "custom",
        path: [index, "name"],
        message: `"${name}" names another import root already`,
      });
  });
}

// Also when another member is wrong, so that all faults are reported at once.
function haveNames({ value }: { value: unknown }): boolean {
  return z.array(z.looseObject({ name: z.string() })).safeParse(value).success;
}
