import { link, rm, stat } from "node:fs/promises";
import { signatureOf } from "../blobs/signature.ts";
import type { BlobRow } from "./blob-rows.ts";
import { copyVerified } from "./copy-verified.ts";
import type { LeftOut } from "./manifest.ts";
import { measureFile } from "./measure.ts";

/** `now`: a link changes a file's times; what is known to be right is so under this signature. */
export type Kept = { kept: true; now?: string } | { kept: false; why: LeftOut["why"] };

/** Puts a blob into the backup: as a second name of the same file where that is possible, else as a copy. */
export async function keepBlob(blob: BlobRow, source: string, target: string): Promise<Kept> {
  if (blob.quarantined) return { kept: false, why: "quarantined" };
  const before = await stat(source, { bigint: true }).catch(() => undefined);
  if (!before) return { kept: false, why: "missing" };
  if (!(await isLinked(source, target))) {
    const copied = await copyVerified(source, target, blob.sha256);
    return copied ? { kept: true } : { kept: false, why: "wrong_content" };
  }
  const after = await stat(target, { bigint: true });
  const isSame = before.ino === after.ino && before.mtimeNs === after.mtimeNs && before.size === after.size;
  const isKnown = isSame && signatureOf(before) === blob.verified;
  if (isKnown || (await measureFile(target))?.sha256 === blob.sha256) return { kept: true, now: signatureOf(after) };
  await rm(target, { force: true });
  return { kept: false, why: "wrong_content" };
}

// Another file system; one without links; a file that has as many as it may; links forbidden to us.
const notLinkable = new Set(["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EACCES"]);

async function isLinked(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && notLinkable.has(String(error.code))) return false;
    throw error;
  }
}
