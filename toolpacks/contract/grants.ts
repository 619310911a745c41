import { z } from "zod";

import { Duration } from "./duration.ts";
import { hashOf } from "./hash.ts";
import { ActorId, ProjectId, type Sha256 } from "./ids.ts";
import { Rate } from "./rate.ts";
import { Retention } from "./retention.ts";
import { Size } from "./size.ts";

const NamePattern = z.string().regex(/^[a-z0-9_*]+$/, { error: 'must be a name; "*" stands for any text' });
const ScopeName = z.string().regex(/^[!-~]{1,128}$/, { error: "must be printable ASCII without spaces" });

/** What a scope lets its bearer call. */
const Scope = z.strictObject({
  tools: z.array(NamePattern).optional(),
  doors: z.array(NamePattern).optional(),
  /** Whether the doors open onto other actors' runs too. */
  any_actor: z.boolean().optional(),
});

/** grants.yaml: who may do how much, and how long things live. Not in the identity: raising a quota loses no replay. */
export const Grants = z
  .strictObject({
    version: z.literal(1, { error: "must be 1" }),
    /** Absent: any project. */
    projects: z.array(ProjectId).min(1).optional(),
    /** Who uses the embedded stack from its own machine. */
    local: z.strictObject({ actor: ActorId, scopes: z.array(ScopeName), project: ProjectId }).optional(),
    scopes: z.record(ScopeName, Scope),
    quotas: z.strictObject({ default: z.strictObject({ rate: Rate.optional(), storage: Size.optional() }) }).optional(),
    deadlines: z.strictObject({ inline: Duration.optional(), run_ttl: Duration.optional() }).optional(),
    retention: Retention.optional(),
  })
  .superRefine(checkLocal, { when: ({ value }) => Crossing.safeParse(value).success });
export type Grants = z.infer<typeof Grants>;

export function grantsHashOf(grants: Grants): Sha256 {
  return hashOf(grants);
}

// What the local user's names are compared with: also when other members are wrong, so that all faults come at once.
const Crossing = z.looseObject({
  projects: z.array(z.string()).optional(),
  local: z.looseObject({ scopes: z.array(z.string()), project: z.string() }),
  scopes: z.record(z.string(), z.unknown()),
});

function checkLocal(grants: unknown, context: z.RefinementCtx): void {
  const { local, projects, scopes } = Crossing.parse(grants);
  local.scopes.forEach((scope, index) => {
    if (!Object.hasOwn(scopes, scope)) refuse(["local", "scopes", index], `"${scope}" is not one of the scopes`);
  });
  if (projects && !projects.includes(local.project))
    refuse(["local", "project"], `"${local.project}" is not one of the projects`);

  function refuse(path: PropertyKey[], message: string): void {
    context.addIssue({ code: "custom", path, message });
  }
}
