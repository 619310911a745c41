// Golden vectors, computed apart from our code with Python's json, hashlib and base64. A change here loses every replay.
import fc from "fast-check";
import { expect, test } from "vitest";
import { artifactIdOf } from "../../../toolpacks/contract/artifact-id.ts";
import { base32 } from "../../../toolpacks/contract/base32.ts";
import { fingerprintOf } from "../../../toolpacks/contract/fingerprint.ts";
import { hashBytesOf, hashOf, sha256Hex } from "../../../toolpacks/contract/hash.ts";
import { ArtifactType, ContractVersion, ProjectId, RunId, Sha256, ToolName } from "../../../toolpacks/contract/ids.ts";
import { paramsBytesOf, runIdOf, type Sys } from "../../../toolpacks/contract/run-id.ts";

const content = Sha256.parse("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"); // "hello\n"
const digest = Sha256.parse("44575cf5b28512d75644bf54a517dcef304ff809fd511747621b4d64f19aac66"); // "build"
const policyHash = Sha256.parse("a8b795448278f2af0b231220b47e8ae2421ffb1acd43ee4491e7f89b4d013351");
const paramsHash = Sha256.parse("ef181e2840808013330ec13676fdbf25f8c258cbf4f6cb89010727376510fb99");

const sys: Sys = { project: ProjectId.parse("lab-a"), build: { id: "artifact_import", version: "1.0.0", digest } };
const identity = {
  tool: ToolName.parse("artifact_import"),
  contractVersion: ContractVersion.parse("v1"),
  policyHash,
  paramsHash,
};
const artifact = { project: ProjectId.parse("lab-a"), sha256: content, type: ArtifactType.parse("text") };

test("a run's id is the hash of tool, contract version, policy and params (T2, A9)", () => {
  expect(runIdOf(identity)).toBe("run_h6f2cxwjw52zn6wjohgahpbkojgmedv5amgiy2d3yr2ibrupl6yq");
});

test.each([
  { tool: ToolName.parse("artifact_get") },
  { contractVersion: ContractVersion.parse("v2") },
  { policyHash: digest },
  { paramsHash: digest },
])("another %o is another run (T2, A9)", (change) => {
  expect(runIdOf({ ...identity, ...change })).not.toBe(runIdOf(identity));
});

test("a run's id is deterministic and of one form, whatever the params (T2)", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (params) => {
      const ids = [1, 2].map(() =>
        runIdOf({ ...identity, paramsHash: hashOf({ sys, params: structuredClone(params) }) }),
      );
      expect(RunId.parse(ids[0])).toBe(ids[1]);
    }),
  );
});

test("the params that are hashed are the canonical bytes of what the gateway and the tool say (T18, A11)", () => {
  const bytes = paramsBytesOf(sys, { type: "text", sha256: content, bytes: 6 });

  expect(new TextDecoder().decode(bytes)).toBe(
    `{"params":{"bytes":6,"sha256":"${content}","type":"text"},` +
      `"sys":{"build":{"digest":"${digest}","id":"artifact_import","version":"1.0.0"},"project":"lab-a"}}`,
  );
  expect(sha256Hex(bytes)).toBe(paramsHash);
});

test("a key's scope is part of the params where there is one", () => {
  const keyed: Sys = { ...sys, key: { actor: "me", fn: "run", key: "k-1" } };

  expect(sha256Hex(paramsBytesOf(keyed, null))).toBe(
    "ab3ae1a0e022f69def47cb58c15e3071f0f71b418618638e14921ec265302eb8",
  );
});

test("an artifact's id is the hash of project, content and type: the same bytes in two projects are two artifacts", () => {
  expect(artifactIdOf(artifact)).toBe("art_fj5qk4ju6s24akswq4pmnmd5otjk7ok5ubouj37uegqxgkczm6ca");
  expect(artifactIdOf({ ...artifact, project: ProjectId.parse("lab-b") })).toBe(
    "art_xfjimuufy6yedzepih2dbk3afgsaghqog2nbmfs2k3owgoor3vgq",
  );
});

test("a request's fingerprint is the hash of tool, function, input as sent and range", () => {
  const request = { toolId: "artifact_import", fn: "run", input: { root: "inbox", path: "a.txt" } };

  expect(fingerprintOf({ ...request, versionRange: "^1" })).toBe(
    "50a94ee631e1b2b853a8bee3f755c02850f5562b84409ccd66193c837a330d3b",
  );
  expect(fingerprintOf({ ...request, versionRange: null })).toBe(
    "0e7a6a3eebef8c4e37b46cf3dc16cfb3beaaeeef9c8c367d3658a9d2b2c863c7",
  );
});

test("hashes are sha256 of the bytes, and of a value's canonical JSON in UTF-8", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256Hex(Buffer.from("abc"))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(hashOf({ "\u20ac": "\u00f6", a: [] })).toBe(
    "17ab2ec2189c24de26b49b16316d4149def02907f8ba52021bd7d4c939a03b6f",
  );
  expect(Buffer.from(hashBytesOf({ "\u20ac": "\u00f6", a: [] })).toString("hex")).toBe(
    hashOf({ a: [], "\u20ac": "\u00f6" }),
  );
});

test.each([
  ["", ""],
  ["f", "my"],
  ["fo", "mzxq"],
  ["foo", "mzxw6"],
  ["foob", "mzxw6yq"],
  ["fooba", "mzxw6ytb"],
  ["foobar", "mzxw6ytboi"],
])("base32 of %j is %j, as RFC 4648 has it, in lower case and without padding", (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

test("base32 of a hash has 52 characters", () => {
  expect(base32(Uint8Array.from({ length: 32 }, (_, at) => at))).toBe(
    "aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypq",
  );
  expect(base32(new Uint8Array(32).fill(255))).toBe(`${"7".repeat(51)}q`);
});
