import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";

const partBytes = 1 << 18;

/**
 * Writes the bytes `first` to `last` of a file as a response's body; false if the receiver went away. Two buffers take
 * turns, each filled again only when the kernel has its bytes. A stream would need a new one for every part, and
 * collecting those was most of a download's cost (measured: 0.7 of 1.3 s of CPU for 512 MiB).
 */
export async function writeContent(
  outgoing: ServerResponse,
  file: FileHandle,
  { first, last }: { first: number; last: number },
  seen: () => void,
): Promise<boolean> {
  let [current, other] = [Buffer.allocUnsafe(partBytes), Buffer.allocUnsafe(partBytes)];
  let part = await readPart(file, current, first, last);
  for (let at = first; at <= last;) {
    const next = at + part.length;
    const [ahead, arrived] = await Promise.all([readPart(file, other, next, last), written(outgoing, part)]);
    if (!arrived) return false;
    seen();
    [current, other, part, at] = [other, current, ahead, next];
  }
  outgoing.end();
  return true;
}

async function readPart(file: FileHandle, into: Buffer, at: number, last: number): Promise<Buffer> {
  const wanted = Math.min(into.length, last + 1 - at);
  const { bytesRead } = await file.read(into, 0, wanted, at);
  if (bytesRead === 0 && wanted > 0) throw new Error("a blob became shorter while it was read");
  return into.subarray(0, bytesRead);
}

function written(outgoing: ServerResponse, part: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    outgoing.once("close", gone);
    outgoing.write(part, (error) => {
      outgoing.off("close", gone);
      resolve(!error);
    });
  });
}
