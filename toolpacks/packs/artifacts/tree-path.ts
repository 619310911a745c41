import type { Violation } from "../../contract/tool-error.ts";

const mostNamed = 50;

/** What is wrong with the paths of a tree: each must be a plain relative one, and no two may get in each other's way. */
export function pathViolations(paths: readonly string[]): Violation[] {
  const known = new Set(paths);
  const seen = new Set<string>();
  const violations = paths.flatMap((path, index) => {
    const message = faultOf(path) ?? (seen.has(path) ? "is there twice" : clashOf(path, known));
    seen.add(path);
    return message === undefined ? [] : [{ pointer: `/entries/${index}/path`, rule: "tree-path", message }];
  });
  return violations.slice(0, mostNamed);
}

function faultOf(path: string): string | undefined {
  if (path.startsWith("/") || path.includes("\\")) return "must be relative, with / between its parts";
  if (!path.isWellFormed() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path)) return "must not hold invisible characters";
  if (path.normalize("NFC") !== path) return "must be in Unicode's composed form (NFC)";
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return "must not have empty parts, . or ..";
  if (parts.some((part) => Buffer.byteLength(part) > 255)) return "must not have parts of more than 255 bytes";
  return undefined;
}

/** A file cannot also be the folder of another. */
function clashOf(path: string, known: ReadonlySet<string>): string | undefined {
  const parts = path.split("/");
  const folder = parts
    .slice(1)
    .map((_, index) => parts.slice(0, index + 1).join("/"))
    .find((above) => known.has(above));
  return folder === undefined ? undefined : `lies below ${folder}, which is a file`;
}
