import { delimiterOf } from "./delimiter.ts";
import { startsAsJson } from "./json-start.ts";

export const textTypes = ["text", "csv", "tsv", "json", "fasta", "fastq", "sam", "vcf", "html"] as const;
export type TextType = (typeof textTypes)[number];

/** What kind of text this is the start of. The surest signs are asked first; what has none is plain text. */
export function textTypeOf(text: string, cut: boolean): TextType {
  if (text.startsWith("##fileformat=VCF")) return "vcf";
  if (isSam(text)) return "sam";
  if (isFastq(text, cut)) return "fastq";
  if (isFasta(text, cut)) return "fasta";
  if (isHtml(text)) return "html";
  if (startsAsJson(text, cut)) return "json";
  const delimiter = delimiterOf(text, cut);
  if (delimiter === "\t") return "tsv";
  return delimiter === "," || delimiter === ";" ? "csv" : "text";
}

const samHeader = /^@(?:HD|SQ|RG|PG)\t[A-Za-z][A-Za-z0-9]:|^@CO\t/;
const samAlignment =
  /^[!-?A-~]{1,254}\t\d+\t[!-~]+\t\d+\t\d+\t(?:\*|(?:\d+[MIDNSHPX=])+)\t[!-~]+\t\d+\t-?\d+\t(?:\*|[A-Za-z=.]+)\t[!-~]+/;

function isSam(text: string): boolean {
  return samHeader.test(text) || samAlignment.test(text);
}

const sequence = /^[A-Za-z*.~-]+$/;

/** A read is four lines; of a long one that was cut within its sequence, the first two are enough. */
function isFastq(text: string, cut: boolean): boolean {
  const [name = "", bases = "", plus] = linesOf(text, 3);
  return /^@\S/.test(name) && sequence.test(bases) && (plus === undefined ? cut : plus.startsWith("+"));
}

function isFasta(text: string, cut: boolean): boolean {
  const [name = "", residues] = linesOf(text, 2);
  return /^>\S/.test(name) && (residues === undefined ? cut : sequence.test(residues));
}

const htmlStart = /^<(?:!doctype\s+html|html|head|body|title|meta|table|div|h[1-6])(?=[\s>/])/i;

function isHtml(text: string): boolean {
  return htmlStart.test(withoutPreamble(text));
}

/** What stands before the first tag: white space, comments, an XML declaration. Cut off in a loop: a pattern could be made to hang. */
function withoutPreamble(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const end = rest.startsWith("<!--") ? "-->" : rest.startsWith("<?xml") ? "?>" : undefined;
    const at = end === undefined ? -1 : rest.indexOf(end);
    if (end === undefined || at === -1) return rest;
    rest = rest.slice(at + end.length).trimStart();
  }
}

function linesOf(text: string, most: number): string[] {
  return text.split("\n", most).map((line) => line.trimEnd());
}
