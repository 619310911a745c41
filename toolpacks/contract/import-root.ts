import { z } from "zod";

import { Size } from "./size.ts";

const pathRule =
  "must be absolute (/srv/data), below the deployment's folder (./data) or below the data directory (data:inbox), without . or .. in it";

/**
 * Where an import root is: absolute, `./relative` to the deployment's folder, or `data:relative` to the data directory.
 * The last two stay as written, so that the policy hashes alike on every machine.
 */
const RootPath = z
  .string()
  .transform((path) => path.replace(/(?<=[^/])\/$/, "")) // one spelling of each
  .refine(isRootPath, { error: pathRule });

export const ImportRoot = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, { error: "must be lower-case letters, digits, - and _" }),
  path: RootPath,
  max_bytes: Size.prefault("5GiB"),
});
export type ImportRoot = z.infer<typeof ImportRoot>;

function isRootPath(path: string): boolean {
  if (path === "/") return true;
  const [, relative = ""] = /^(?:\/|\.\/|data:)([^\0]+)$/.exec(path) ?? [];
  return relative.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}
