import { constants } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";

/**
 * Opens a regular file below a folder, component by component, each by the handle of the one before (as openat would):
 * no link is followed anywhere, and a folder that is swapped for a link between check and open changes nothing.
 */
export async function openBeneath(folder: string, relative: string): Promise<FileHandle> {
  const names = namesOf(relative);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY;
  let at = await open(folder, flags).catch((error: unknown) => refuse(error, relative));
  try {
    for (const name of names.slice(0, -1)) at = await stepInto(at, name, relative);
    return await openRegular(at, names.at(-1) ?? "", relative);
  } finally {
    await at.close();
  }
}

function namesOf(relative: string): string[] {
  const names = relative.split("/").filter((name) => name !== "" && name !== ".");
  if (isAbsolute(relative) || names.includes("..") || relative.includes("\0"))
    throw new ToolError("A-AUTH-006", { details: { path: relative } });
  if (names.length === 0) throw new ToolError("I-REQ-006", { details: { path: relative, found: "directory" } });
  return names;
}

async function stepInto(at: FileHandle, name: string, path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const next = await open(beneath(at, name), flags).catch((error: unknown) => refuse(error, path));
  await at.close();
  return next;
}

/** Looked at before it is opened, because opening a device or a pipe may already do something; and once more after. */
async function openRegular(at: FileHandle, name: string, path: string): Promise<FileHandle> {
  const before = await lstat(beneath(at, name)).catch((error: unknown) => refuse(error, path));
  if (!before.isFile()) throw new ToolError("I-REQ-006", { details: { path, found: kindOf(before) } });
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(beneath(at, name), flags).catch((error: unknown) => refuse(error, path));
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new ToolError("I-REQ-006", { details: { path, found: "swapped while it was opened" } });
}

function beneath(at: FileHandle, name: string): string {
  return `/proc/self/fd/${at.fd}/${name}`;
}

function refuse(error: unknown, path: string): never {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const found = reasons[code];
  if (found === undefined) throw error;
  throw new ToolError("I-REQ-006", { details: { path, found }, cause: error });
}

const reasons: Record<string, string | undefined> = {
  ENOENT: "nothing",
  ENOTDIR: "something that is not a folder on the way",
  ELOOP: "a symbolic link",
  ENXIO: "a pipe or socket",
  EACCES: "a file that the server may not read",
  ENAMETOOLONG: "a name that is too long",
};

function kindOf(found: Awaited<ReturnType<typeof lstat>>): string {
  if (found.isSymbolicLink()) return "a symbolic link";
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a pipe";
  if (found.isSocket()) return "a socket";
  return "a device";
}
