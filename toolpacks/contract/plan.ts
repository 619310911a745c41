import { z } from "zod";
import { ArtifactId, ArtifactType, Role } from "./ids.ts";

/** An artifact that a run reads, under the role it plays there. */
export const InputLink = z.strictObject({ role: Role, artifactId: ArtifactId });
export type InputLink = z.infer<typeof InputLink>;

/** An artifact that a run promises to make: exactly these, no more and no fewer (T4). */
export const DeclaredOutput = z.strictObject({ role: Role, type: ArtifactType, label: z.string().min(1).max(200) });
export type DeclaredOutput = z.infer<typeof DeclaredOutput>;

/** The plan of our own built-in tools: their `run` is called inside the worker, without a sandbox. */
const InlinePlan = z.strictObject({
  kind: z.literal("inline"),
  outputs: z.array(DeclaredOutput),
  /** The import root that was read while staging; policy is asked about it again at the execution boundary. */
  importRoot: z.string().optional(),
});

export const Plan = z.discriminatedUnion("kind", [InlinePlan]);
export type Plan = z.infer<typeof Plan>;
export type PlanKind = Plan["kind"];
