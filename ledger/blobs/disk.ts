import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { readVerifiedHead } from "./read-verified.ts";
import { stageBytes, stageFile } from "./stage.ts";
import type { BlobStore } from "./store.ts";

/**
 * Blobs on disk: `<folder>/ab/cdef…`. `writer` names this process's own corner for temporary files; what a killed
 * predecessor left there is removed, which is why no two processes may share a name.
 */
export async function createDiskBlobs({ folder, writer }: { folder: string; writer: string }): Promise<BlobStore> {
  const temporary = join(folder, "tmp", writer);
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  await Promise.all(shelves.map((shelf) => mkdir(join(folder, shelf), { recursive: true })));

  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256.slice(2));
  const place = { temporary, pathOf };
  return {
    stageFile: (source, maxBytes, signal) => stageFile(place, source, maxBytes, signal),
    stageBytes: (content) => stageBytes(place, content),
    readHead: (blob, maxBytes) => readVerifiedHead(pathOf(blob.sha256), blob, maxBytes),
    async has({ sha256, bytes }) {
      const found = await stat(pathOf(sha256)).catch(() => undefined);
      return found?.size === bytes;
    },
  };
}

const shelves = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, "0"));
