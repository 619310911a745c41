import { expect, test } from "vitest";
import { Grants } from "../../../toolpacks/contract/grants.ts";
import { mayCall, mayRun, mayUseTool } from "../../../toolpacks/contract/may-run.ts";
import { Policy } from "../../../toolpacks/contract/policy.ts";

const policy = Policy.parse({
  version: 1,
  tools: {
    allow: ["artifact_*", "samtools_*", "http_send"],
    deny: ["http_*"],
    versions: { samtools_flagstat: ">=2 <3", "artifact_*": "^1" },
  },
  import_roots: [{ name: "inbox", path: "data:inbox" }],
});

test.each<[string, string, string[]]>([
  ["artifact_get", "1.2.3", []],
  ["samtools_flagstat", "2.9.0", []],
  ["samtools_view", "9.0.0", []],
  ["seqkit_stats", "1.0.0", ["A-AUTH-004 tools.allow"]],
  ["http_send", "1.0.0", ["A-AUTH-004 tools.deny: http_*"]],
  ["http_get", "1.0.0", ["A-AUTH-004 tools.deny: http_*", "A-AUTH-004 tools.allow"]],
  ["samtools_flagstat", "3.0.0", ["A-AUTH-004 tools.versions: samtools_flagstat >=2 <3"]],
  ["samtools_flagstat", "2.1.0-rc.1", ["A-AUTH-004 tools.versions: samtools_flagstat >=2 <3"]],
  ["artifact_get", "2.0.0", ["A-AUTH-004 tools.versions: artifact_* ^1"]],
  ["artifact_get", "not a version", ["A-AUTH-004 tools.versions: artifact_* ^1"]],
])("the policy decides on %s %s: denied for %j (A18)", (name, version, reasons) => {
  expect(reasonsOf(mayUseTool(policy, { name, version }))).toEqual(reasons);
  expect(reasonsOf(mayRun(policy, { tool: { name, version } }))).toEqual(reasons);
});

test.each<[string | undefined, string[]]>([
  [undefined, []],
  ["inbox", []],
  ["outbox", ["A-AUTH-006 import_roots"]],
  ["", ["A-AUTH-006 import_roots"]],
  ["__proto__", ["A-AUTH-006 import_roots"]],
])("an import from root %s is denied for %j (A20)", (importRoot, reasons) => {
  expect(reasonsOf(mayRun(policy, { tool: { name: "artifact_import", version: "1.0.0" }, importRoot }))).toEqual(
    reasons,
  );
});

test("a denial gives all its reasons (A18, A20)", () => {
  expect(reasonsOf(mayRun(policy, { tool: { name: "http_get", version: "1.0.0" }, importRoot: "x" }))).toEqual([
    "A-AUTH-004 tools.deny: http_*",
    "A-AUTH-004 tools.allow",
    "A-AUTH-006 import_roots",
  ]);
});

const grants = Grants.parse({
  version: 1,
  projects: ["lab-a"],
  scopes: {
    "tools:*": { tools: ["*"] },
    "tools:read": { tools: ["artifact_get"], doors: ["run_get", "run_cancel"] },
    operate: { doors: ["run_cancel"], any_actor: true },
  },
});

test.each<[string[], string, object, string[]]>([
  [["tools:*"], "lab-a", { tool: "artifact_import" }, []],
  [["tools:read"], "lab-a", { tool: "artifact_get" }, []],
  [["tools:read"], "lab-a", { tool: "artifact_import" }, ["A-AUTH-003 scopes: no scope for tool artifact_import"]],
  [["tools:read"], "lab-a", { door: "run_get" }, []],
  [["tools:*"], "lab-a", { door: "run_get" }, ["A-AUTH-003 scopes: no scope for door run_get"]],
  [[], "lab-a", { tool: "artifact_get" }, ["A-AUTH-003 scopes: no scope for tool artifact_get"]],
  [
    ["unknown", "toString", "__proto__"],
    "lab-a",
    { tool: "artifact_get" },
    ["A-AUTH-003 scopes: no scope for tool artifact_get"],
  ],
  [["tools:*"], "lab-b", { tool: "artifact_get" }, ["A-AUTH-003 projects"]],
  [["tools:read"], "lab-a", { door: "run_cancel", ownedBy: "me" }, []],
  [
    ["tools:read"],
    "lab-a",
    { door: "run_cancel", ownedBy: "you" },
    ["A-AUTH-003 scopes: run_cancel is for one's own runs without any_actor"],
  ],
  [["tools:read", "operate"], "lab-a", { door: "run_cancel", ownedBy: "you" }, []],
  [["operate"], "lab-b", { door: "run_get" }, ["A-AUTH-003 projects", "A-AUTH-003 scopes: no scope for door run_get"]],
])("with scopes %j in %s the call %j is denied for %j", (scopes, project, target, reasons) => {
  expect(reasonsOf(mayCall(grants, { actor: "me", scopes, project }, target))).toEqual(reasons);
});

test("grants that name no projects are for any project", () => {
  const open = Grants.parse({ version: 1, scopes: { s: { tools: ["*"] } } });

  expect(mayCall(open, { actor: "me", scopes: ["s"], project: "any" }, { tool: "t" })).toEqual({ allowed: true });
});

function reasonsOf(decision: ReturnType<typeof mayRun>): string[] {
  return decision.allowed ? [] : decision.reasons.map(({ code, rule }) => `${code} ${rule}`);
}
