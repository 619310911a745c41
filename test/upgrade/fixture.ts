import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { RunId, Sha256 } from "../../toolpacks/contract/ids.ts";

const Made = z.object({
  project: z.string(),
  tool: z.string(),
  input: z.record(z.string(), z.string()),
  run_id: RunId,
  output: z.json(),
});

/** What a released version answered, and how its ledger counted, before its installation was backed up. */
export const Fixture = z.object({
  /** The build that answered: a call of another build is another run. */
  build: z.object({ version: z.string(), digest: Sha256 }),
  made: z.array(Made),
  /** A run whose attempt was open at the backup. */
  open: RunId,
  projects: z.array(z.object({ id: z.string(), artifact_seq: z.int(), run_seq: z.int(), artifacts: z.int() })),
});
export type Fixture = z.infer<typeof Fixture>;

export const fixtureFolder = (level: string): string => join(import.meta.dirname, `level-${level}`);
export const backupIn = (folder: string): string => join(folder, "backup");
export const answersIn = (folder: string): string => join(folder, "answers.json");

export const readFixture = (level: string): Fixture =>
  Fixture.parse(JSON.parse(readFileSync(answersIn(fixtureFolder(level)), "utf8")));
