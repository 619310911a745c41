import { z } from "zod";

const unbroken = String.raw`[^\s\p{Z}\p{Cc}\p{Cf}\p{Cs}]`; // no whitespace, nothing invisible

export const RunId = named(/^run_[a-z2-7]{52}$/, "must be run_ and 52 characters of a-z2-7").brand<"RunId">();
export type RunId = z.infer<typeof RunId>;

export const ArtifactId = named(/^art_[a-z2-7]{52}$/, "must be art_ and 52 characters of a-z2-7").brand<"ArtifactId">();
export type ArtifactId = z.infer<typeof ArtifactId>;

/** Bytes that came over HTTP and are not an artifact yet. */
export const UploadId = named(/^upl_[a-z2-7]{32}$/, "must be upl_ and 32 characters of a-z2-7").brand<"UploadId">();
export type UploadId = z.infer<typeof UploadId>;

export const CallId = z.uuidv4({ error: "must be a UUID, version 4" }).brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

export const ProjectId = named(
  /^[a-z0-9][a-z0-9-]{0,62}$/,
  "must be 1 to 63 lower-case letters, digits and -, not beginning with -",
).brand<"ProjectId">();
export type ProjectId = z.infer<typeof ProjectId>;

export const ActorId = named(
  new RegExp(`^${unbroken}{1,128}$`, "u"),
  "must be 1 to 128 visible characters without whitespace",
).brand<"ActorId">();
export type ActorId = z.infer<typeof ActorId>;

/** The form that hashes have inside recipes. */
export const Sha256 = named(/^[0-9a-f]{64}$/, "must be 64 lower-case hex digits").brand<"Sha256">();
export type Sha256 = z.infer<typeof Sha256>;

/** What an input or output is to its run: whitespace-strict (T20). */
export const Role = named(
  new RegExp(`^${unbroken}+$`, "u"),
  "must be visible characters without whitespace",
).brand<"Role">();
export type Role = z.infer<typeof Role>;

export const ArtifactType = named(
  /^[a-z][a-z0-9_.+-]{0,63}$/,
  "must be 1 to 64 lower-case letters, digits and _.+-, beginning with a letter",
).brand<"ArtifactType">();
export type ArtifactType = z.infer<typeof ArtifactType>;

export const ToolName = named(
  /^[a-z][a-z0-9_]*$/,
  "must be lower-case letters, digits and _, beginning with a letter",
).brand<"ToolName">();
export type ToolName = z.infer<typeof ToolName>;

export const ContractVersion = named(/^v[1-9][0-9]*$/, "must be v and a number: v1").brand<"ContractVersion">();
export type ContractVersion = z.infer<typeof ContractVersion>;

function named(pattern: RegExp, error: string) {
  return z.string().regex(pattern, { error });
}
