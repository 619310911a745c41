import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { intoCache } from "./into-cache.ts";
import { reasonOf } from "./reason-of.ts";
import { ownVersion } from "./version.ts";
import type { Way } from "./way.ts";

const run = promisify(execFile);
const answerWithin = 10_000;
const doneWithin = 300_000;

/** The archive that Temporal's own SDKs download. */
export const download: Way = {
  name: "download from temporal.download",
  slow: true,
  async find({ cacheDir, progress, signal }) {
    progress(`looking for the Temporal CLI at ${new URL(archiveUrl()).host}`);
    try {
      const { executable, version } = await intoCache(cacheDir, (directory) => fetchInto(directory, signal));
      return { found: { kind: "program", executable, version }, where: `${archiveUrl()}, kept as ${executable}` };
    } catch (error) {
      return { missed: reasonOf(error), fix: "let this machine reach https://temporal.download" };
    }
  },
};

export function archiveUrl(platform: string = process.platform, arch: string = process.arch): string {
  const query = new URLSearchParams({ platform, arch: arch === "x64" ? "amd64" : arch });
  return `https://temporal.download/cli/archive/v${ownVersion}?${query.toString()}`;
}

async function fetchInto(directory: string, signal: AbortSignal): Promise<void> {
  const archive = join(directory, "archive.tar.gz");
  const body = await answeredBody(AbortSignal.any([signal, AbortSignal.timeout(doneWithin)]));
  await pipeline(Readable.fromWeb(body), createWriteStream(archive));
  await run("tar", ["-xzf", archive, "-C", directory, "temporal"]);
}

// The first answer has a short limit of its own: a network that swallows packets must not hold up the ways that follow.
async function answeredBody(whole: AbortSignal) {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new Error(`no answer within ${answerWithin / 1000} s`)), answerWithin);
  const response = await fetch(archiveUrl(), { signal: AbortSignal.any([whole, silent.signal]) }).finally(() =>
    clearTimeout(timer),
  );
  if (!response.ok || !response.body) throw new Error(`answered ${response.status}`);
  return response.body;
}
