import type { ArtifactType } from "../../contract/ids.ts";
import { contentOf, typeOf, type Content } from "./detect-type.ts";
import { inputFault } from "./input-fault.ts";
import { isJson } from "./json-start.ts";
import { textTypes, type TextType } from "./text-type.ts";

/** The type that an artifact gets: the declared one if the content does not contradict it, else what the content says. */
export async function checkedTypeOf(
  staged: { head: Uint8Array; bytes: number },
  declared: ArtifactType | undefined,
): Promise<ArtifactType> {
  if (declared !== undefined && reserved.has(declared))
    throw inputFault("/type", "reserved", `${declared} is a type that only Helixrun itself gives.`);
  const content = await contentOf(staged);
  const found = typeOf(content);
  if (declared === undefined || admits(declared, content)) return declared ?? found;
  throw inputFault("/type", "contradicted", `is declared ${declared}, but the content is ${found}.`);
}

const reserved = new Set(["log", "tree"]);

/** Whether the content may be called so. Types that we cannot tell from content are the caller's word. */
function admits(declared: string, content: Content): boolean {
  if (declared === "binary") return true; // everything is bytes
  if (declared === "gzip") return content.kind === "gzip" || content.kind === "bam" || isGzippedText(content);
  if (["png", "jpeg", "webp", "bam"].includes(declared)) return content.kind === declared;
  const type = textTypes.find((known) => declared === known || declared === `${known}.gz`);
  if (type === undefined) return true;
  if (content.kind !== "text" || content.gzipped !== declared.endsWith(".gz")) return false;
  return content.text.trim() === "" || mayBe[type](content);
}

function isGzippedText(content: Content): boolean {
  return content.kind === "text" && content.gzipped;
}

// Kinder than detection: a table of one column, a fragment of HTML or a sequence with gaps may be declared.
const mayBe: Record<TextType, (content: { type: TextType; text: string; cut: boolean }) => boolean> = {
  text: () => true,
  csv: ({ type }) => type === "csv" || type === "text",
  tsv: ({ type }) => type === "tsv" || type === "text",
  json: ({ type, text, cut }) => type === "json" || (!cut && isJson(text)),
  fasta: ({ text }) => /^\s*[>;]/.test(text),
  fastq: ({ type, text }) => type === "fastq" || (type !== "sam" && text.startsWith("@")),
  sam: ({ type, text }) => type === "sam" || /^@[A-Z]{2}\t/.test(text),
  vcf: ({ type }) => type === "vcf",
  html: ({ type, text }) => type === "html" || /<[a-z!/]/i.test(text),
};
