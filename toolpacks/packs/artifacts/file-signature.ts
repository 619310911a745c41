/** What the first bytes of a binary file say that it is; undefined if they say nothing. */
export function signatureOf(head: Uint8Array): "png" | "jpeg" | "webp" | "gzip" | undefined {
  if (startsWith(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "png";
  if (startsWith(head, [0xff, 0xd8, 0xff])) return "jpeg";
  if (startsWith(head, ascii("RIFF")) && startsWith(head.subarray(8), ascii("WEBP"))) return "webp";
  if (startsWith(head, [0x1f, 0x8b, 0x08])) return "gzip";
  return undefined;
}

/** BAM is BGZF, a gzip of many blocks, each with a "BC" field in its header; what it unpacks to starts with BAM and a 1. */
export function isBam(packed: Uint8Array, unpacked: Uint8Array): boolean {
  const hasExtraField = ((packed[3] ?? 0) & 4) !== 0;
  return hasExtraField && startsWith(packed.subarray(12), ascii("BC")) && startsWith(unpacked, [...ascii("BAM"), 1]);
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

function ascii(text: string): number[] {
  return [...Buffer.from(text, "latin1")];
}
