import { expect, test } from "vitest";
import { Grants, grantsHashOf } from "../../../toolpacks/contract/grants.ts";
import { Policy, policyHashOf } from "../../../toolpacks/contract/policy.ts";

const least = { version: 1, tools: { allow: [] } };
const rooted = (path: string) => Policy.safeParse({ ...least, import_roots: [{ name: "r", path }] });

test("a policy's hash is that of its canonical JSON, with sizes in bytes (A10)", () => {
  const policy = Policy.parse({
    import_roots: [{ path: "data:inbox", name: "inbox", max_bytes: "5GiB" }],
    tools: { allow: ["artifact_*"] },
    version: 1,
  });

  expect(policyHashOf(policy)).toBe("a8b795448278f2af0b231220b47e8ae2421ffb1acd43ee4491e7f89b4d013351");
});

test("every part of a policy is in its hash (A10)", () => {
  const variants = [
    least,
    { ...least, tools: { allow: ["a"] } },
    { ...least, tools: { allow: [], deny: ["a"] } },
    { ...least, tools: { allow: [], versions: { a: "^1" } } },
    { ...least, expand: ["A"] },
    { ...least, import_roots: [{ name: "r", path: "/r" }] },
    { ...least, import_roots: [{ name: "r", path: "./r" }] },
    { ...least, import_roots: [{ name: "r", path: "/r", max_bytes: 1 }] },
  ];

  expect(new Set(variants.map((variant) => policyHashOf(Policy.parse(variant)))).size).toBe(variants.length);
});

test.each(["/srv/data", "/", "./data", "./a/b", "data:inbox", "data:a/b", "/with space/\u00e9"])(
  "an import root may be at %s (A20)",
  (path) => {
    expect(rooted(path).success).toBe(true);
  },
);

test.each([
  "",
  ".",
  "./",
  "..",
  "../x",
  "./../x",
  "./a/../..",
  "data:",
  "data:.",
  "data:../x",
  "data:/etc",
  "x",
  "~/x",
  "/a/../b",
  "/a//b",
  "/a/./b",
  "/a\0",
  "//",
  "http://x/y",
  "C:\\x",
])("an import root may not be at %j (A20)", (path) => {
  expect(rooted(path).success).toBe(false);
});

test("a slash at the end of an import root makes no other policy", () => {
  expect(rooted("/srv/data/").data).toEqual(rooted("/srv/data").data);
});

test("a grants' hash is that of its canonical JSON, with times in milliseconds", () => {
  const grants = {
    version: 1,
    local: { actor: "local", scopes: ["tools:*"], project: "default" },
    scopes: { "tools:*": { tools: ["*"], doors: ["*"] } },
  };

  expect(grantsHashOf(Grants.parse(grants))).toBe("1040543f9c4f76510977d3e4c8f320d6aa71b4669f6d26fab46c0070859f9dec");
  expect(grantsHashOf(Grants.parse({ ...grants, deadlines: { inline: "60s" } }))).toBe(
    grantsHashOf(Grants.parse({ ...grants, deadlines: { inline: "1m" } })),
  );
});
