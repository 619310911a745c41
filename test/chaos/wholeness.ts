import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { eventually } from "../cli/kit.ts";
import type { Installation } from "../kit/installation.ts";
import type { Acknowledged } from "./imports.ts";

/** What must be empty whatever was killed. */
export const whole = {
  refused: [],
  lost: [],
  wrongBlobs: [],
  absentBlobs: [],
  temporaryFiles: [],
  openAttempts: [],
  unresolvedCalls: [],
  runsNotSucceededOnce: [],
  leases: [],
  runsNotAudited: [],
};

/** Looks at everything that was acknowledged, and at everything that is stored. */
export async function wholenessOf(
  installation: Pick<Installation, "query" | "blobs">,
  acknowledged: Acknowledged[],
): Promise<typeof whole> {
  const { query, blobs } = installation;
  const artifacts = await query<{ artifact_id: string; sha256: string }>(
    "select artifact_id, sha256 from artifacts join blobs using (sha256)",
  );
  const known = new Map(artifacts.map((row) => [row.artifact_id, row.sha256]));
  const files = await blobFiles(blobs);
  const hashes = new Map(await Promise.all(files.map(async (file) => [nameOf(file), await hashOf(file)] as const)));
  const isLost = ({ wanted, answer }: Acknowledged) =>
    known.get(artifactIn(answer)) !== wanted.sha256 || hashes.get(wanted.sha256) !== wanted.sha256;
  const found = {
    refused: acknowledged.filter(({ answer }) => answer.status !== "success"),
    lost: acknowledged.filter(isLost),
    wrongBlobs: [...hashes].filter(([name, hash]) => name !== hash),
    absentBlobs: (await query<{ sha256: string }>("select sha256 from blobs")).filter(
      ({ sha256 }) => !hashes.has(sha256),
    ),
    temporaryFiles: await filesBelow(join(blobs, "tmp")),
    openAttempts: await query("select run_id, attempt, state from attempts where ended_at is null"),
    unresolvedCalls: await query("select call_id, run_id, attempt from calls where resolved_at is null"),
    runsNotSucceededOnce: await query(
      "select run_id from runs left join attempts using (run_id) group by run_id having count(*) filter (where state = 'succeeded') <> 1",
    ),
    leases: await query("select * from leases"),
    runsNotAudited: await query(
      `select run_id from runs left join audit using (run_id) group by run_id
       having count(*) filter (where event = 'attempt_opened') <> 1 or count(*) filter (where event = 'attempt_succeeded') <> 1`,
    ),
  };
  return found as unknown as typeof whole;
}

const artifactIn = (answer: Acknowledged["answer"]): string =>
  answer.status === "success" ? (answer.output as { artifact_id: string }).artifact_id : "none";

const nameOf = (file: string): string => basename(dirname(file)) + basename(file);

async function blobFiles(folder: string): Promise<string[]> {
  return (await filesBelow(folder)).filter((file) => !file.startsWith(join(folder, "tmp")));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Resolves when every call has its outcome. One that joined in the moment of an end gets it from the reconciler. */
export const settled = ({ query }: Installation): Promise<boolean> =>
  eventually(async () => (await query("select 1 from calls where resolved_at is null limit 1")).length === 0, 10_000);

/** Resolves when that many attempts are open. */
export const attemptsUnderWay = ({ query }: Installation, count: number): Promise<boolean> =>
  eventually(async () => (await query("select 1 from attempts where ended_at is null")).length >= count);

/** How many attempts were open when something was killed, and how long after its return the last of the older ones ended. */
export async function endsAfter(
  { query }: Installation,
  killedAt: Date,
  backAt: Date,
): Promise<{ interrupted: number; seconds: number }> {
  const text = `select count(*) filter (where created_at < $1 and ended_at > $1)::int as interrupted,
    coalesce(max(extract(epoch from ended_at - $2)) filter (where created_at < $2), 0)::float as seconds from attempts`;
  const [row] = await query<{ interrupted: number; seconds: number }>(text, [killedAt, backAt]);
  return row ?? { interrupted: 0, seconds: Number.POSITIVE_INFINITY };
}
