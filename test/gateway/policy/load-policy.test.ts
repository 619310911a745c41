import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadPolicy } from "../../../gateway/policy/load-policy.ts";
import { policyHashOf } from "../../../toolpacks/contract/policy.ts";
import { deploymentWith, faultsOf } from "./deployment.ts";

const quiet = { importRoots: [], env: {} };
const inbox = { name: "inbox", path: "data:inbox", max_bytes: 5_368_709_120 };

test("without policy.yaml the shipped packs are allowed, files come from the inbox, and there is no network (A18)", async () => {
  const { policy, hash, bytes } = await loadPolicy({ dir: await deploymentWith({}), ...quiet });

  expect(policy).toEqual({
    version: 1,
    tools: { allow: ["artifact_*"] },
    import_roots: [inbox],
    network: { default: "none" },
  });
  expect(hash).toBe("a8b795448278f2af0b231220b47e8ae2421ffb1acd43ee4491e7f89b4d013351");
  expect(new TextDecoder().decode(bytes)).toBe(
    '{"import_roots":[{"max_bytes":5368709120,"name":"inbox","path":"data:inbox"}],"network":{"default":"none"},"tools":{"allow":["artifact_*"]},"version":1}',
  );
});

test("import roots that the user names come after the policy's own (A20)", async () => {
  const { policy } = await loadPolicy({
    dir: await deploymentWith({}),
    importRoots: [{ name: "data", path: "/srv/data" }],
    env: {},
  });

  expect(policy.import_roots).toEqual([inbox, { name: "data", path: "/srv/data", max_bytes: 5_368_709_120 }]);
});

const whole = `version: 1
expand: [IMPORT_DIR]   # the only variable
tools:
  allow: ["artifact_*", samtools_flagstat]
  deny: [http_send]
  versions: { samtools_flagstat: ">=2 <3" }
import_roots:
  - { name: data, path: "\${IMPORT_DIR}/in", max_bytes: 1MiB }
network: { default: none }
`;

test("the hash is of the policy after expansion: the same values are the same policy, others another (A10)", async () => {
  const dir = await deploymentWith({ "policy.yaml": whole });
  const one = await loadPolicy({ dir, importRoots: [], env: { IMPORT_DIR: "/srv/a" } });
  const same = await loadPolicy({ dir, importRoots: [], env: { IMPORT_DIR: "/srv/a", OTHER: "x" } });
  const other = await loadPolicy({ dir, importRoots: [], env: { IMPORT_DIR: "/srv/b" } });

  expect(one.policy.import_roots).toEqual([{ name: "data", path: "/srv/a/in", max_bytes: 1_048_576 }]);
  expect(same.hash).toBe(one.hash);
  expect(other.hash).not.toBe(one.hash);
  expect(one.hash).toBe(policyHashOf(one.policy));
});

test("comments and the order of keys make no other policy (A10)", async () => {
  const env = { IMPORT_DIR: "/srv/a" };
  const lines = whole.replace("   # the only variable", "").trimEnd().split("\n");
  const shuffled = `${[...lines.slice(1), ...lines.slice(0, 1)].join("\n")}\n`;
  const hashes = await Promise.all(
    [whole, shuffled].map(
      async (text) =>
        (await loadPolicy({ dir: await deploymentWith({ "policy.yaml": text }), importRoots: [], env })).hash,
    ),
  );

  expect(hashes[0]).toBe(hashes[1]);
});

test("a policy with many faults is refused with all of them, each with its line and a fix", async () => {
  const dir = await deploymentWith({
    "policy.yaml": `version: 2
expand: [IMPORT_DIR, API_TOKEN, UNSET]
tools:
  alow: ["artifact_*"]
  deny: ["http send"]
  versions: { samtools_flagstat: "no range" }
import_root: []
import_roots:
  - { name: data, path: "\${IMPORT_DIR}", max_bytes: 5GB }
  - { name: x, path: "\${HOME}/x" }
  - { name: x, path: "\${UNSET}", maxBytes: 1 }
  - { name: y, path: "/a/\${API_TOKEN}" }
  - { name: z, path: "../z" }
network: { default: all }
`,
  });
  const importRoots = [{ name: "y", path: "/q" }];
  const faults = await faultsOf(
    dir,
    loadPolicy({ dir, importRoots, env: { IMPORT_DIR: "/srv", API_TOKEN: "s3cret", HOME: "/root" } }),
  );

  expect(faults).toMatchInlineSnapshot(`
    [
      "policy.yaml:10 /import_roots/1/path: \${HOME} is not among the names under "expand". Add it there, or write the value out.",
      "policy.yaml:11 /import_roots/2/path: the environment variable UNSET is not set. Set it before the start.",
      "policy.yaml:12 /import_roots/3/path: \${API_TOKEN} sounds like a secret, and a policy is stored in the clear. Leave it out.",
      "policy.yaml:1 /version: must be 1. Correct the value.",
      "policy.yaml:3 /tools/allow: is required. Add it.",
      "policy.yaml:5 /tools/deny/0: must be a tool name; "*" stands for any text. Correct the value.",
      "policy.yaml:6 /tools/versions/samtools_flagstat: must be a SemVer range such as ">=2 <3". Correct the value.",
      "policy.yaml:4 /tools/alow: is not a known name; did you mean "allow"? Correct or remove it.",
      "policy.yaml:9 /import_roots/0/max_bytes: expected a size such as "64KiB" or "5GiB" (B, KiB, MiB, GiB, TiB), or a whole number of bytes. Correct the value.",
      "policy.yaml:11 /import_roots/2/maxBytes: is not a known name; did you mean "max_bytes"? Correct or remove it.",
      "policy.yaml:13 /import_roots/4/path: must be absolute (/srv/data), below the deployment's folder (./data) or below the data directory (data:inbox), without . or .. in it. Correct the value.",
      "policy.yaml:11 /import_roots/2/name: "x" names another import root already. Correct the value.",
      "the import root y=/q named at the start /import_roots/5/name: "y" names another import root already. Correct the value.",
      "policy.yaml:14 /network/default: must be "none". Correct the value.",
      "policy.yaml:7 /import_root: is not a known name; did you mean "import_roots"? Correct or remove it.",
    ]
  `);
  expect(faults.join()).not.toContain("s3cret");
});

test.each([
  ["a key twice", "version: 1\nversion: 1\n", ["policy.yaml:2 Map keys must be unique. Correct the YAML."]],
  [
    "an alias",
    "version: 1\ntools: { allow: &a [x], deny: *a }\n",
    ["policy.yaml:2 alias *a is not allowed. Write the value out."],
  ],
  [
    "two documents",
    "version: 1\ntools: { allow: [] }\n---\nversion: 1\n",
    ["policy.yaml:3 there is a second document. Keep one document in the file."],
  ],
  [
    "a merge key",
    "version: 1\ntools:\n  <<: { allow: [] }\n",
    [
      "policy.yaml:2 /tools/allow: is required. Add it.",
      "policy.yaml:3 /tools/<<: is not a known name. Correct or remove it.",
    ],
  ],
  ["an unknown tag", "version: !mine 1\n", ["policy.yaml:1 Unresolved tag: !mine. Correct the YAML."]],
  [
    "a __proto__ key",
    "version: 1\ntools: { allow: [], versions: { __proto__: '1' } }\n",
    ['policy.yaml:2 "__proto__" is not allowed as a name. Use another name.'],
  ],
  ["nothing in it", "", [expect.stringContaining("policy.yaml:1 the file: ")]],
  ["only a comment in it", "# nothing\n", [expect.stringContaining("policy.yaml:1 the file: ")]],
  ["a list in it", "- version: 1\n", [expect.stringContaining("policy.yaml:1 the file: ")]],
  ["a broken bracket", "tools: { allow: ]\n", expect.arrayContaining([expect.stringContaining("Correct the YAML.")])],
  [
    "words for lists",
    "version: 1\ntools: { allow: all }\nimport_roots: none\n",
    [expect.stringContaining("policy.yaml:2 /tools/allow: "), expect.stringContaining("policy.yaml:3 /import_roots: ")],
  ],
  [
    "a number of YAML 1.2, after what is no truth value there",
    "version: 1\ntools: { allow: [yes, 0o7] }\n",
    [expect.stringContaining("policy.yaml:2 /tools/allow/1: ")],
  ],
])("a policy.yaml with %s is refused, with the line", async (_name, text, faults) => {
  const dir = await deploymentWith({ "policy.yaml": text });

  expect(await faultsOf(dir, loadPolicy({ dir, ...quiet }))).toEqual(faults);
});

test("a policy.yaml that is no text file is refused", async () => {
  const dir = await deploymentWith({ "policy.yaml": new Uint8Array([0xff, 0xfe]) });
  const folder = await deploymentWith({});
  await mkdir(join(folder, "policy.yaml"));

  expect(await faultsOf(dir, loadPolicy({ dir, ...quiet }))).toEqual([
    expect.stringMatching(/^policy.yaml cannot be read: .* Make it a readable file in UTF-8\.$/),
  ]);
  expect(await faultsOf(folder, loadPolicy({ dir: folder, ...quiet }))).toEqual([
    expect.stringMatching(/^policy.yaml cannot be read: EISDIR/),
  ]);
});

test("the message of the refusal has a line for each fault", async () => {
  const dir = await deploymentWith({ "policy.yaml": "version: 1\ntool: {}\n" });

  await expect(loadPolicy({ dir, ...quiet })).rejects.toThrow(
    `${dir}/policy.yaml:1: /tools: is required. Add it.\n${dir}/policy.yaml:2: /tool: is not a known name; did you mean "tools"? Correct or remove it.`,
  );
});
