import { lstat, mkdir, realpath, rename, stat } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import { TreeFile } from "../../toolpacks/contract/tree.ts";
import { pathViolations } from "../../toolpacks/packs/artifacts/tree-path.ts";
import { complaint, exitCodes, reasonOf } from "../complaint.ts";
import { exitCodeOf, textOf } from "../gateway-call.ts";
import { downloadFile, isRight } from "./download-file.ts";
import { patiently } from "./patiently.ts";
import { answerIn, type TransferDoor } from "./transfer-door.ts";

const Known = z.object({ artifact_id: z.string(), sha256: z.string(), bytes: z.int(), type: z.string() });
type Known = z.infer<typeof Known>;

export type GetDeps = {
  door: TransferDoor;
  progress(state: { name: string; done: number; total: number }): void;
};

/** Writes an artifact to a file, or a tree to a folder; says where. */
export async function getArtifact(
  deps: GetDeps,
  id: string,
  output: string | undefined,
): Promise<Known & { path: string }> {
  const known = await patiently(() => describe(deps.door, id));
  const path = resolve(await placeFor(known, output));
  await (known.type === "tree" ? getTree(deps, known, path) : getFile(deps, known, path)).catch(notWritten);
  return { ...known, path };
}

/** The user's own disk: what it says is all there is to know. */
function notWritten(error: unknown): never {
  const isOfDisk = error instanceof Error && "path" in error && "syscall" in error;
  throw isOfDisk ? complaint(`cannot be written: ${reasonOf(error)}`, exitCodes.invalidRequest, error) : error;
}

function getFile({ door, progress }: GetDeps, known: Known, path: string): Promise<void> {
  const { artifact_id: id, bytes: total } = known;
  const wanted = { ...known, urlPath: `/v1/artifacts/${id}/content` };
  return downloadFile(door, wanted, path, (done) => progress({ name: id, done, total }));
}

async function describe(door: TransferDoor, id: string): Promise<Known> {
  const answer = await answerIn(await door.send({ method: "GET", path: `/v1/artifacts/${encodeURIComponent(id)}` }));
  if (answer.status === "success") return Known.parse(answer.output);
  throw complaint(textOf(answer), exitCodeOf(answer));
}

/** Where it goes: as told, into a folder that is there, or here under its id. */
async function placeFor({ artifact_id: id, type }: Known, output = "."): Promise<string> {
  const found = await stat(output).catch(() => undefined);
  const path = found?.isDirectory() ? join(output, id) : output;
  const there = await lstat(path).catch(() => undefined);
  if (there && (type === "tree" || there.isDirectory()))
    throw complaint(`${path} is there already. Fix: name another place with -o.`, exitCodes.invalidRequest);
  return path;
}

/** All files into a folder beside, named after the tree so that a second try goes on there; then it gets its name. */
async function getTree(deps: GetDeps, tree: Known, target: string): Promise<void> {
  const files = await manifestOf(deps.door, tree);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const work = `${target}.${tree.sha256.slice(0, 12)}.part`;
  await mkdir(work, { recursive: true });
  const inside = await realpath(work);
  let before = 0;
  for (const file of files) {
    const path = join(inside, file.path);
    await expectFolderInside(inside, dirname(path));
    const urlPath = `/v1/artifacts/${tree.artifact_id}/files/${file.path.split("/").map(encodeURIComponent).join("/")}`;
    const wanted = { ...file, urlPath };
    const report = (done: number) => deps.progress({ name: file.path, done: before + done, total });
    if (!(await isRight(path, wanted))) await downloadFile(deps.door, wanted, path, report);
    before += file.bytes;
  }
  await rename(inside, target);
}

/** The manifest is an artifact's content, and so somebody's input: its paths are judged before one of them is used. */
async function manifestOf(door: TransferDoor, tree: Known): Promise<TreeFile[]> {
  const bytes = await patiently(async () => {
    const reply = await door.send({ method: "GET", path: `/v1/artifacts/${tree.artifact_id}/content` });
    if (reply.statusCode === 200) return buffer(reply);
    const answer = await answerIn(reply);
    throw complaint(textOf(answer), exitCodeOf(answer));
  });
  const files = z.array(TreeFile).safeParse(JSON.parse(bytes.toString()));
  const [wrong] = pathViolations(files.data?.map(({ path }) => path) ?? []);
  if (files.success && !wrong) return files.data;
  const why = wrong ? `${wrong.pointer} ${wrong.message}` : "its manifest is not one";
  throw complaint(`${tree.artifact_id} cannot be written as a folder: ${why}.`, exitCodes.terminal);
}

/** Makes a folder that really lies inside: no link on the way leads out. */
async function expectFolderInside(inside: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await realpath(folder)) === folder) return;
  throw complaint(`${relative(inside, folder)} leads out of the folder that is written.`, exitCodes.terminal);
}
