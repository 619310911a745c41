import { decodedText } from "../../contract/harmless-text.ts";
import { ArtifactType } from "../../contract/ids.ts";
import { isBam, signatureOf } from "./file-signature.ts";
import { gunzipHead } from "./gunzip-head.ts";
import { textTypeOf, type TextType } from "./text-type.ts";

/** What the first bytes of a file tell of it. */
export type Content =
  | { kind: "png" | "jpeg" | "webp" | "bam" | "gzip" | "binary" }
  | { kind: "text"; type: TextType; text: string; cut: boolean; gzipped: boolean };

const unpackedBytes = 65_536;

/** Looks at the start of a file, into a gzipped one too. Never fails: what tells nothing is binary. */
export async function contentOf({ head, bytes }: { head: Uint8Array; bytes: number }): Promise<Content> {
  const cut = bytes > head.length;
  const signature = signatureOf(head);
  if (signature === "gzip") return packedContentOf(head, cut);
  return signature ? { kind: signature } : (textContentOf(head, cut, false) ?? { kind: "binary" });
}

export function typeOf(content: Content): ArtifactType {
  return ArtifactType.parse(content.kind === "text" ? `${content.type}${content.gzipped ? ".gz" : ""}` : content.kind);
}

async function packedContentOf(packed: Uint8Array, packedIsCut: boolean): Promise<Content> {
  const { head, cut, broken } = await gunzipHead(packed, unpackedBytes);
  if (isBam(packed, head)) return { kind: "bam" };
  if (broken && head.length === 0) return { kind: "gzip" };
  return textContentOf(head, cut || packedIsCut, true) ?? { kind: "gzip" };
}

function textContentOf(head: Uint8Array, cut: boolean, gzipped: boolean): Content | undefined {
  const text = decodedText(head);
  if (text === undefined) return undefined;
  const type = textTypeOf(text, cut);
  // SAM is packed as BAM; a gzipped one is rare enough to be no type of its own.
  return { kind: "text", type: gzipped && type === "sam" ? "text" : type, text, cut, gzipped };
}
