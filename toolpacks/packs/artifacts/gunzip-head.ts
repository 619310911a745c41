import { constants, createGunzip } from "node:zlib";

export type Unpacked = { head: Uint8Array; cut: boolean; broken: boolean };

/**
 * The start of what gzipped bytes unpack to, at most `maxBytes` of it: a bomb is left alone as soon as it has said enough.
 * The packed bytes may themselves be only the start of a file.
 */
export async function gunzipHead(packed: Uint8Array, maxBytes: number): Promise<Unpacked> {
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let broken = false;
  gunzip.end(packed);
  try {
    for await (const part of gunzip as AsyncIterable<Uint8Array>) {
      parts.push(part);
      bytes += part.length;
      if (bytes > maxBytes) break;
    }
  } catch {
    broken = true;
  }
  return { head: Buffer.concat(parts).subarray(0, maxBytes), cut: bytes > maxBytes, broken };
}
