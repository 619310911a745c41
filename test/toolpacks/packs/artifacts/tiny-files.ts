import { deflateRawSync, crc32, gzipSync } from "node:zlib";
import sharp from "sharp";

/** Small real files of every kind that we tell apart, made here and now. */
export const tinyTexts = {
  text: "Just words, and more of them.\n",
  csv: 'gene,count\n"BRCA1, long",3\nTP53,4\n',
  tsv: "# remark\ngene\tcount\nBRCA1\t3\nTP53\t4\n",
  json: '{"gene": ["BRCA1", null, 1.5e3]}\n',
  fasta: ">seq1 a sequence\nACGTN-\nAC\n>seq2\nMKV*\n",
  fastq: "@read1\nACGT\n+\nIIII\n",
  sam: "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:1000\n",
  vcf: "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n",
  html: "<!-- made by hand -->\n<!DOCTYPE html><html><title>Report</title><h1>One</h1></html>\n",
};

const square = { create: { width: 6, height: 4, channels: 3, background: "teal" } } as const;
const packed = ["fasta", "fastq", "csv", "tsv", "vcf", "json", "html", "text"] as const;

export async function tinyFiles(): Promise<Record<string, Buffer>> {
  return {
    ...Object.fromEntries(Object.entries(tinyTexts).map(([type, text]) => [type, Buffer.from(text)])),
    ...Object.fromEntries(packed.map((type) => [`${type}.gz`, gzipSync(tinyTexts[type])])),
    png: await sharp(square).png().toBuffer(),
    jpeg: await sharp(square).jpeg().toBuffer(),
    webp: await sharp(square).webp().toBuffer(),
    bam: bgzfOf(Buffer.concat([Buffer.from("BAM\u0001"), Buffer.alloc(8)])),
    gzip: gzipSync(Buffer.from([0, 1, 2, 3])),
    binary: Buffer.from([0, 159, 146, 150]),
  };
}

/** One block of BGZF: gzip with the extra field BC, which tells the block's size. */
export function bgzfOf(content: Buffer): Buffer {
  const body = deflateRawSync(content);
  const header = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 0x42, 0x43, 2, 0, 0, 0]);
  header.writeUInt16LE(header.length + body.length + 8 - 1, 16);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(content), 0);
  trailer.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, body, trailer]);
}
