import type { z } from "zod";
import type { ArtifactId, ArtifactType, ProjectId, Sha256 } from "./ids.ts";
import type { Json, JsonObject } from "./json.ts";
import type { DeclaredOutput, InputLink, Plan, PlanKind } from "./plan.ts";

/** What a tool's determinism promises decides how it may be repeated (C20, C106). */
export type Determinism = "pure" | "idempotent" | "side_effectful";

/** What is known of an artifact without opening it. */
export type ArtifactInfo = {
  artifactId: ArtifactId;
  sha256: Sha256;
  type: ArtifactType;
  bytes: number;
  createdAt: Date;
};

/** Bytes that were read and hashed for an import; they become a blob only if the call opens an attempt. */
export type Staged = { sha256: Sha256; bytes: number; head: Uint8Array };

/** All that a tool may see while it decides (T14, T17): checksums and types, never bytes, never the clock. */
export type CanonicalizeContext = {
  project: ProjectId;
  artifact(id: ArtifactId): Promise<ArtifactInfo>;
  stageFile(root: string | undefined, path: string): Promise<Staged & { root: string }>;
  stageContent(content: Uint8Array): Promise<Staged>;
};

export type Canonicalized = { canonicalParams: JsonObject; plan: Plan; inputsToLink: InputLink[] };

/** All that a built-in tool's `run` may do (T15, T32). */
export type ToolRun = {
  params: JsonObject;
  signal: AbortSignal;
  log(line: string): void;
  artifacts: {
    find(id: ArtifactId): Promise<ArtifactInfo>;
    readHead(id: ArtifactId, maxBytes: number): Promise<Uint8Array>;
    link(output: DeclaredOutput, blob: { sha256: Sha256; bytes: number }): ArtifactId;
  };
};

/** A tool as its author writes it. */
export type ToolSource<Input = unknown> = {
  abiVersion: "v1";
  toolName: string;
  contractVersion: string;
  version: string;
  title: string;
  description: string;
  owner: string;
  determinism: Determinism;
  planKind: PlanKind;
  input: z.ZodType<Input>;
  output: z.ZodType;
  canonicalize(args: Input, context: CanonicalizeContext): Promise<Canonicalized>;
  run(run: ToolRun): Promise<Json>;
};

/** A tool as the gateway and the worker know it: with its schemas as JSON Schema, and its digest. */
export type ToolDefinition = Omit<ToolSource<never>, "input" | "output" | "canonicalize"> & {
  digest: Sha256;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  canonicalize(args: Json, context: CanonicalizeContext): Promise<Canonicalized>;
};
