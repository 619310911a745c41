import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Sha256 } from "../../toolpacks/contract/ids.ts";

const newline = 10;

/** Looks at bytes on their way: how many, how many lines, which hash. In COPY's text format a line is a row. */
export function createMeasure() {
  const hash = createHash("sha256");
  let bytes = 0;
  let lines = 0;
  return {
    async *pass(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.length;
        for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines += 1;
        yield chunk;
      }
    },
    result: () => ({ bytes, lines, sha256: Sha256.parse(hash.digest("hex")) }),
  };
}

export const bigChunks = { highWaterMark: 1 << 20 };

/** The same of a whole file; undefined where there is none. */
export async function measureFile(path: string): Promise<{ bytes: number; lines: number; sha256: Sha256 } | undefined> {
  const { pass, result } = createMeasure();
  try {
    for await (const _ of pass(createReadStream(path, bigChunks)));
    return result();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
