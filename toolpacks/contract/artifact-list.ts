import type { ArtifactInfo } from "./tool-definition.ts";

/** A time with all its microseconds, as PostgreSQL has it: a Date would round the newest artifact out of its own snapshot. */
type ExactTime = string;

/** A snapshot boundary over the artifacts of a project (A15): the counter, and what the document asks beside it (A16). */
export type Boundary = { seq: number; count: number; createdAt: ExactTime | null };

export type ArtifactFilter = {
  type?: string | undefined;
  label?: string | undefined;
  run?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  /** Whether the logs of runs are listed too. */
  logs: boolean;
};

export type ListedArtifact = ArtifactInfo & { seq: number; label: string | null; createdByRun: string };
