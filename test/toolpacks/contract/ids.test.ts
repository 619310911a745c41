import { expect, test } from "vitest";
import {
  ActorId,
  ArtifactId,
  ArtifactType,
  CallId,
  ContractVersion,
  ProjectId,
  Role,
  RunId,
  Sha256,
  ToolName,
} from "../../../toolpacks/contract/ids.ts";

const tail = "a".repeat(52);

test.each([
  [
    "RunId",
    RunId,
    [`run_${tail}`],
    [`run_${tail}a`, `run_${tail.slice(1)}`, `art_${tail}`, `run_${tail}\n`, `run_${"1".repeat(52)}`, `run2_${tail}`],
  ],
  ["ArtifactId", ArtifactId, [`art_${tail}`], [`run_${tail}`, `ART_${tail}`, `art_${tail.toUpperCase()}`]],
  [
    "CallId",
    CallId,
    ["2b1b6c7c-6d4c-4f4f-9a55-0d5b3d2e0f11"],
    ["", "2b1b6c7c6d4c4f4f9a550d5b3d2e0f11", "2b1b6c7c-6d4c-1f4f-9a55-0d5b3d2e0f11"],
  ],
  [
    "ProjectId",
    ProjectId,
    ["a", "0", "lab-a", "a".repeat(63)],
    ["", "-a", "Lab", "a_b", "a".repeat(64), "a\n", "a/b", ".."],
  ],
  [
    "ActorId",
    ActorId,
    ["me", "alice@example.org", "\u00e9lo\u00efse", "a".repeat(128)],
    ["", "a b", " a", "a\t", "a\0", "a\u00a0b", "a\u200bb", "\ud800", "a".repeat(129)],
  ],
  ["Sha256", Sha256, ["0".repeat(64)], ["0".repeat(63), "A".repeat(64), "g".repeat(64)]],
  [
    "ArtifactType",
    ArtifactType,
    ["text", "tar.gz", "svg+xml", "a".repeat(64)],
    ["", "Text", "1a", "a/b", "a".repeat(65)],
  ],
])("%s takes what has its form and nothing else", (_name, schema, good, bad) => {
  expect(good.filter((text) => !schema.safeParse(text).success)).toEqual([]);
  expect(bad.filter((text) => schema.safeParse(text).success)).toEqual([]);
});

test("a tool's name is lower-case letters, digits and underscores, beginning with a letter (T9)", () => {
  expect(["a", "artifact_import", "x1_"].every((name) => ToolName.safeParse(name).success)).toBe(true);
  expect(["", "A", "1a", "_a", "a-b", "a.b", "a b", "a\n"].some((name) => ToolName.safeParse(name).success)).toBe(
    false,
  );
});

test("a contract version is v and a number without leading zero (T10)", () => {
  expect(["v1", "v10"].every((name) => ContractVersion.safeParse(name).success)).toBe(true);
  expect(
    ["", "1", "v0", "v01", "v1.0", "V1", "v1 ", "v1\n"].some((name) => ContractVersion.safeParse(name).success),
  ).toBe(false);
});

test("a role is strict about whitespace and control characters (T20)", () => {
  expect(["input", "reads/1", "r\u00e9sum\u00e9"].every((role) => Role.safeParse(role).success)).toBe(true);
  expect(
    ["", " ", " a", "a ", "a b", "a\tb", "a\nb", "a\u00a0b", "a\u3000", "\ufeffa", "a\u0085", "a\0"].some(
      (role) => Role.safeParse(role).success,
    ),
  ).toBe(false);
});
