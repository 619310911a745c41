import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type SourceFile = { readonly path: string; readonly text: string };

/** Every text file that git tracks or would track, so that a new file is held to the rules before it is committed. */
export function sourceFilesOf(root: string, isWanted: (path: string) => boolean): SourceFile[] {
  return pathsOf(root)
    .filter(isWanted)
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

export function pathsOf(root: string): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const paths = listed.toString().split("\0").filter(Boolean);
  return [...new Set(paths)].filter((path) => existsSync(join(root, path)));
}
