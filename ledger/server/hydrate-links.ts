import { readFile, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";

/**
 * Makes the symbolic links that npm cannot pack, as the package's install script would; npm may leave install scripts out.
 * Says false where they cannot be made (node_modules is read-only).
 */
export async function hydrateLinks(native: string): Promise<boolean> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const made = await Promise.all(linksOf(list).map((link) => make(native, link)));
  return made.every(Boolean);
}

type Link = { source: string; target: string };

function linksOf(text: string): Link[] {
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list.filter(isLink) : [];
}

const isLink = (entry: unknown): entry is Link =>
  typeof entry === "object" && entry !== null && "source" in entry && "target" in entry;

// The list names files from the package's root ("native/lib/…"); a copy of `native` has another name.
async function make(native: string, { source, target }: Link): Promise<boolean> {
  if (dirname(source) !== dirname(target)) return false;
  return symlink(basename(source), join(native, relative("native", target))).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "EEXIST",
  );
}
