import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { Policy } from "../../toolpacks/contract/policy.ts";
import { ToolError } from "../../toolpacks/contract/tool-error.ts";

/** A path that a caller named, as an import root and what lies below it. */
export type ImportPath = { root: string; folder: string; below: string; maxBytes: number };

export type ImportRoots = { find(policy: Policy, root: string | undefined, path: string): ImportPath };

const defaultRoot = "inbox";

/** Where the roots of a policy are on this machine, and which of them a path belongs to (A5, A20). */
export function createImportRoots({ dataDir, deploymentDir }: { dataDir: string; deploymentDir: string }): ImportRoots {
  const folderOf = (path: string) => {
    if (path.startsWith("data:")) return join(dataDir, path.slice("data:".length));
    return isAbsolute(path) ? path : resolve(deploymentDir, path);
  };
  return {
    find(policy, root, path) {
      const roots = policy.import_roots.map((r) => ({ root: r.name, folder: folderOf(r.path), maxBytes: r.max_bytes }));
      const found =
        isAbsolute(path) && root === undefined ? containing(roots, path) : named(roots, root ?? defaultRoot, path);
      if (!found) throw new ToolError("A-AUTH-006", { details: { path, roots: roots.map((r) => r.root) } });
      return found;
    },
  };
}

type Root = Omit<ImportPath, "below">;

function named(roots: Root[], name: string, path: string): ImportPath | undefined {
  const root = roots.find((r) => r.root === name);
  return root && { ...root, below: path };
}

/** The innermost root that holds an absolute path, as it was written or as the root's own links resolve. */
function containing(roots: Root[], path: string): ImportPath | undefined {
  const holding = roots.flatMap((root) =>
    [root.folder, resolved(root.folder)]
      .map((folder) => relative(folder, resolve(path)))
      .filter((below) => below !== "" && !below.startsWith("..") && !isAbsolute(below))
      .map((below) => ({ ...root, below })),
  );
  return holding.toSorted((a, b) => a.below.length - b.below.length)[0];
}

function resolved(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
