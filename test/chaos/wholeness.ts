import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
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
};

/** Looks at everything that was acknowledged, and at everything that is stored. */
export async function wholenessOf(installation: Installation, acknowledged: Acknowledged[]): Promise<typeof whole> {
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

/** How long after that moment the last attempt ended that was open in it. */
export async function secondsToLastEnd({ query }: Installation, moment: Date): Promise<number> {
  const text =
    "select coalesce(max(extract(epoch from ended_at - $1)), 0)::float as seconds from attempts where created_at < $1 and ended_at > $1";
  const [row] = await query<{ seconds: number }>(text, [moment]);
  return row?.seconds ?? Number.POSITIVE_INFINITY;
}
