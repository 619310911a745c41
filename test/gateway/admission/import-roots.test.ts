import { mkdtemp, realpath, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createImportRoots } from "../../../gateway/admission/import-roots.ts";
import { Policy } from "../../../toolpacks/contract/policy.ts";
import { refusal } from "./steps.ts";

const roots = createImportRoots({ dataDir: "/data", deploymentDir: "/deployment" });
const policy = Policy.parse({
  version: 1,
  tools: { allow: ["*"] },
  import_roots: [
    { name: "inbox", path: "data:inbox" },
    { name: "lab", path: "/srv/lab", max_bytes: "1MiB" },
    { name: "inner", path: "/srv/lab/inner" },
    { name: "near", path: "./near" },
  ],
});

test.each([
  ["a plain name, in the inbox", undefined, "a.txt", { root: "inbox", folder: "/data/inbox", below: "a.txt" }],
  [
    "a name below a root that is named",
    "near",
    "x/a.txt",
    { root: "near", folder: "/deployment/near", below: "x/a.txt" },
  ],
  [
    "an absolute path, in the root that holds it",
    undefined,
    "/srv/lab/x/a.txt",
    { root: "lab", below: "x/a.txt", maxBytes: 1 << 20 },
  ],
  ["an absolute path, in the innermost root", undefined, "/srv/lab/inner/a.txt", { root: "inner", below: "a.txt" }],
])("%s (A5)", (_name, root, path, place) => {
  expect(roots.find(policy, root, path)).toMatchObject(place);
});

test.each([
  ["a root that the policy does not have", "outbox", "a.txt"],
  ["an absolute path outside every root", undefined, "/etc/passwd"],
  ["an absolute path that climbs out", undefined, "/srv/lab/../../etc/passwd"],
  ["the root itself", undefined, "/srv/lab"],
])("%s is refused with the roots there are (A5, A20)", (_name, root, path) => {
  expect(refusal(() => roots.find(policy, root, path))).toMatchObject({
    code: "A-AUTH-006",
    details: { roots: ["inbox", "lab", "inner", "near"] },
  });
});

test("a root that is a link is found under its real path too", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "helixrun-roots-")));
  await symlink(folder, `${folder}-link`);
  const linked = Policy.parse({
    version: 1,
    tools: { allow: ["*"] },
    import_roots: [{ name: "linked", path: `${folder}-link` }],
  });

  expect(roots.find(linked, undefined, join(folder, "a.txt"))).toMatchObject({ root: "linked", below: "a.txt" });
});
