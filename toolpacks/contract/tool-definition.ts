import type { z } from "zod";
import type { ArtifactFilter, Boundary, ListedArtifact } from "./artifact-list.ts";
import type { ArtifactId, ArtifactType, ProjectId, Sha256, UploadId } from "./ids.ts";
import type { Json, JsonObject } from "./json.ts";
import type { DeclaredOutput, InputLink, Plan, PlanKind } from "./plan.ts";
import type { TreeFile } from "./tree.ts";

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
  /** Many at once, in the order in which they are named. */
  artifacts(ids: ArtifactId[]): Promise<ArtifactInfo[]>;
  /** The file at a path of a tree; undefined if there is none. */
  treeFile(tree: ArtifactInfo, path: string): Promise<Staged | undefined>;
  /** Where mutable state stands now; a tool over it must put this into its canonical params (T40). */
  snapshot(of: "artifacts" | "artifacts and logs"): Promise<Boundary>;
  stageFile(root: string | undefined, path: string): Promise<Staged & { root: string }>;
  /** What the same actor has uploaded to the same project. */
  stageUpload(uploadId: UploadId): Promise<Staged>;
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
    findAll(ids: ArtifactId[]): Promise<ArtifactInfo[]>;
    list(page: ArtifactFilter & { asOf: Boundary; before: number | null; limit: number }): Promise<ListedArtifact[]>;
    readHead(id: ArtifactId, maxBytes: number): Promise<Uint8Array>;
    /** All of an artifact, hashed again; `D-DATA-002` if it is larger than the tool can hold. */
    readAll(id: ArtifactId, maxBytes: number): Promise<Uint8Array>;
    /** Makes an output of small content that the run itself has made. */
    store(output: DeclaredOutput, content: Uint8Array): Promise<ArtifactId>;
    /** Makes an output of a manifest; the blobs of its files are in use while the tree is. */
    storeTree(output: DeclaredOutput, files: TreeFile[]): Promise<ArtifactId>;
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
