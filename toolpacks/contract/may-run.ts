import satisfies from "semver/functions/satisfies.js";

import type { ErrorCode } from "./errors.ts";
import type { Grants } from "./grants.ts";
import { matches } from "./pattern.ts";
import type { Policy } from "./policy.ts";

type Reason = { code: ErrorCode; rule: string };

/** Pure, so that admission and the execution boundary decide alike. A denial gives all its reasons. */
export type Decision = { allowed: true } | { allowed: false; reasons: Reason[] };

type Build = { name: string; version: string };
type Order = { tool: Build; importRoot?: string | undefined };
type Caller = { actor: string; scopes: readonly string[]; project: string };
/** `ownedBy`: whose run the door would open onto, where it matters. */
type Target = { tool?: string | undefined; door?: string | undefined; ownedBy?: string | undefined };

/** Whether the policy lets this order be executed (A18, A20). */
export function mayRun(policy: Policy, { tool, importRoot }: Order): Decision {
  return decisionOf([...toolReasons(policy, tool), ...rootReasons(policy, importRoot)]);
}

/** Whether the policy lets this build be used at all (A18). */
export function mayUseTool(policy: Policy, tool: Build): Decision {
  return decisionOf(toolReasons(policy, tool));
}

/** Whether the grants let this caller call that tool, or go through that door. */
export function mayCall(grants: Grants, caller: Caller, target: Target): Decision {
  return decisionOf([...projectReasons(grants, caller), ...scopeReasons(grants, caller, target)]);
}

function toolReasons({ tools }: Policy, { name, version }: Build): Reason[] {
  const denying = (tools.deny ?? []).filter((pattern) => matches(pattern, name));
  const broken = Object.entries(tools.versions ?? {}).filter(
    ([pattern, range]) => matches(pattern, name) && !satisfies(version, range),
  );
  return [
    ...denying.map((pattern) => denied(`tools.deny: ${pattern}`)),
    ...(tools.allow.some((pattern) => matches(pattern, name)) ? [] : [denied("tools.allow")]),
    ...broken.map(([pattern, range]) => denied(`tools.versions: ${pattern} ${range}`)),
  ];
}

function denied(rule: string): Reason {
  return { code: "A-AUTH-004", rule };
}

function rootReasons({ import_roots }: Policy, importRoot: string | undefined): Reason[] {
  if (importRoot === undefined || import_roots.some(({ name }) => name === importRoot)) return [];
  return [{ code: "A-AUTH-006", rule: "import_roots" }];
}

function projectReasons({ projects }: Grants, { project }: Caller): Reason[] {
  const open = projects === undefined || projects.some((id) => id === project);
  return open ? [] : [{ code: "A-AUTH-003", rule: "projects" }];
}

function scopeReasons(grants: Grants, { actor, scopes }: Caller, { tool, door, ownedBy }: Target): Reason[] {
  const held = scopes.filter((name) => Object.hasOwn(grants.scopes, name)).flatMap((name) => grants.scopes[name] ?? []);
  const opening = held.filter(({ doors }) => doors?.some((pattern) => matches(pattern, door ?? "")));
  const reasons: Reason[] = [];
  if (tool !== undefined && !held.some(({ tools }) => tools?.some((pattern) => matches(pattern, tool))))
    reasons.push({ code: "A-AUTH-003", rule: `scopes: no scope for tool ${tool}` });
  if (door !== undefined && opening.length === 0)
    reasons.push({ code: "A-AUTH-003", rule: `scopes: no scope for door ${door}` });
  else if (
    door !== undefined &&
    ownedBy !== undefined &&
    ownedBy !== actor &&
    !opening.some(({ any_actor }) => any_actor)
  )
    reasons.push({ code: "A-AUTH-003", rule: `scopes: ${door} is for one's own runs without any_actor` });
  return reasons;
}

function decisionOf(reasons: Reason[]): Decision {
  return reasons.length === 0 ? { allowed: true } : { allowed: false, reasons };
}
