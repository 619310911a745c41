import { expect, test } from "vitest";
import { loadGrants } from "../../../gateway/policy/load-grants.ts";
import { mayCall } from "../../../toolpacks/contract/may-run.ts";
import { deploymentWith, faultsOf } from "./deployment.ts";

test("without grants.yaml the local actor may call every tool and go through every door", async () => {
  const { grants, hash } = await loadGrants({ dir: await deploymentWith({}) });
  const local = { actor: "local", scopes: grants.local?.scopes ?? [], project: "default" };

  expect(hash).toBe("1040543f9c4f76510977d3e4c8f320d6aa71b4669f6d26fab46c0070859f9dec");
  expect(mayCall(grants, local, { tool: "artifact_import" })).toEqual({ allowed: true });
  expect(mayCall(grants, local, { door: "run_cancel" })).toEqual({ allowed: true });
});

test("grants.yaml is read with its times and rates", async () => {
  const dir = await deploymentWith({
    "grants.yaml": `version: 1
projects: [default, lab-a]
local: { actor: me, scopes: ["tools:read"], project: default }
scopes:
  "tools:read": { tools: ["artifact_get"], doors: [run_get] }
  operate: { doors: [run_cancel], any_actor: true }
quotas: { default: { rate: 50/s, storage: 100GiB } }
deadlines: { inline: 60s, run_ttl: 14d }
retention: { logs: 30d, unreferenced_blobs: 2d, gc_grace: 2h }
`,
  });
  const { grants, bytes, hash } = await loadGrants({ dir });

  expect(grants).toEqual({
    version: 1,
    projects: ["default", "lab-a"],
    local: { actor: "me", scopes: ["tools:read"], project: "default" },
    scopes: {
      "tools:read": { tools: ["artifact_get"], doors: ["run_get"] },
      operate: { doors: ["run_cancel"], any_actor: true },
    },
    quotas: { default: { rate: { count: 50, perMs: 1_000 }, storage: 107_374_182_400 } },
    deadlines: { inline: 60_000, run_ttl: 1_209_600_000 },
    retention: { logs: 2_592_000_000, unreferenced_blobs: 172_800_000, gc_grace: 7_200_000 },
  });
  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(grants);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

test("grants with many faults are refused with all of them, each with its line and a fix", async () => {
  const dir = await deploymentWith({
    "grants.yaml": `version: 1
projects: [default, Lab]
local: { actor: me too, scopes: ["tools:*", "comit"], project: lab-b }
scopes:
  "tools:*": { tools: ["*"], door: [run_get] }
quotas: { default: { rate: 50 } }
deadlines: { inline: 60 }
retention: { logs: 90, gc_grace: 1m, blobs: 7d }
`,
  });

  expect(await faultsOf(dir, loadGrants({ dir }))).toMatchInlineSnapshot(`
    [
      "grants.yaml:2 /projects/1: must be 1 to 63 lower-case letters, digits and -, not beginning with -. Correct the value.",
      "grants.yaml:3 /local/actor: must be 1 to 128 visible characters without whitespace. Correct the value.",
      "grants.yaml:5 /scopes/tools:*/door: is not a known name; did you mean "doors"? Correct or remove it.",
      "grants.yaml:6 /quotas/default/rate: expected a rate such as "50/s", "100/m" or "1000/h". Correct the value.",
      "grants.yaml:7 /deadlines/inline: expected a duration such as "500ms", "60s", "10m", "1h" or "7d". Correct the value.",
      "grants.yaml:8 /retention/logs: expected a duration such as "500ms", "60s", "10m", "1h" or "7d". Correct the value.",
      "grants.yaml:8 /retention/gc_grace: must be "10m" or more. Correct the value.",
      "grants.yaml:8 /retention/blobs: is not a known name; did you mean "logs"? Correct or remove it.",
      "grants.yaml:3 /local/scopes/1: "comit" is not one of the scopes. Correct the value.",
      "grants.yaml:3 /local/project: "lab-b" is not one of the projects. Correct the value.",
    ]
  `);
});

test("grants without scopes are refused", async () => {
  const dir = await deploymentWith({ "grants.yaml": "version: 1\n" });

  expect(await faultsOf(dir, loadGrants({ dir }))).toEqual(["grants.yaml:1 /scopes: is required. Add it."]);
});
