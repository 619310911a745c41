import { readdir, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { z } from "zod";
import type { Answer } from "../../toolpacks/contract/envelope.ts";
import { pathViolations } from "../../toolpacks/packs/artifacts/tree-path.ts";
import { complaint, exitCodes, reasonOf } from "../complaint.ts";
import { uploadFile, type Meant, type Source } from "./upload-file.ts";
import type { TransferDoor } from "./transfer-door.ts";

export type ImportDeps = {
  door: TransferDoor;
  call(tool: string, input: unknown): Promise<Answer>;
  progress(state: { name: string; done: number; total: number }): void;
};

const atOnce = 4;
const Made = z.object({ artifact_id: z.string() });

/** Imports a file as an artifact, or a folder as a tree of its files. */
export async function importPath(deps: ImportDeps, path: string, meant: Meant): Promise<Answer> {
  const found = await stat(path).catch((error: unknown) => {
    throw complaint(`${path} cannot be read: ${reasonOf(error)}`, exitCodes.invalidRequest, error);
  });
  if (found.isDirectory()) return importFolder(deps, path, meant);
  if (!found.isFile()) throw complaint(`${path} is neither a file nor a folder.`, exitCodes.invalidRequest);
  const name = basename(path);
  const source = { path, bytes: found.size };
  return uploadFile(deps.door, source, meant, (done) => deps.progress({ name, done, total: source.bytes }));
}

async function importFolder(deps: ImportDeps, folder: string, { type, label }: Meant): Promise<Answer> {
  if (type !== undefined) throw complaint("--type is for files: a folder is a tree.", exitCodes.invalidRequest);
  const files = await filesBelow(folder);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const done = files.map(() => 0);
  const report = () => deps.progress({ name: basename(folder), done: done.reduce((a, b) => a + b, 0), total });
  const answers = await eachOf(files, (file, index) =>
    uploadFile(deps.door, file, {}, (bytes) => {
      done[index] = bytes;
      report();
    }),
  );
  const failed = answers.find(({ status }) => status !== "success");
  if (failed) return failed; // nothing is half-done: the next time what is there already is answered from the ledger
  const entries = files.map(({ name }, index) => ({ path: name, artifact_id: idIn(answers[index]) }));
  return deps.call("artifact_tree", { entries, ...(label !== undefined && { label }) });
}

type Found = Source & { name: string };

/** All files below a folder, by name. What cannot be part of a tree is refused before anything is sent. */
async function filesBelow(folder: string): Promise<Found[]> {
  const entries = (await readdir(folder, { withFileTypes: true, recursive: true })).filter((e) => !e.isDirectory());
  const files = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile())
        throw complaint(`${path} is not a regular file: a tree holds nothing else.`, exitCodes.invalidRequest);
      return { path, bytes: (await stat(path)).size, name: relative(folder, path).split(sep).join("/") };
    }),
  );
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const [wrong] = pathViolations(sorted.map(({ name }) => name));
  const index = Number(wrong?.pointer.split("/")[2]);
  if (wrong) throw complaint(`${sorted[index]?.path}: its name ${wrong.message}.`, exitCodes.invalidRequest);
  if (sorted.length === 0) throw complaint(`there is no file in ${folder}.`, exitCodes.invalidRequest);
  return sorted;
}

/** A few at once, answers in order. The first failure ends it. */
async function eachOf<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [index, item] of rest) answers[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return answers;
}

function idIn(answer: Answer | undefined): string {
  return Made.parse(answer && "output" in answer ? answer.output : undefined).artifact_id;
}
