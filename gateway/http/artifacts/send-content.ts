import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import type { Sha256 } from "../../../toolpacks/contract/ids.ts";
import { byteRangeOf } from "./byte-range.ts";
import { writeContent } from "./write-content.ts";

export type Content = {
  name: string;
  sha256: Sha256;
  bytes: number;
  open(): Promise<FileHandle>;
  /** Told before the first byte goes out. */
  leaving(): Promise<void>;
  seen(): void;
  onFault(error: unknown): void;
};

/** Answers GET and HEAD for bytes that never change under their name: whole, a range of them, or nothing new. */
export async function sendContent(request: Request, outgoing: ServerResponse, content: Content): Promise<Response> {
  const { sha256, bytes } = content;
  const headers = headersOf(content);
  if (isKnown(request.headers.get("if-none-match"), sha256)) return new Response(null, { status: 304, headers });
  const range = byteRangeOf(rangeIn(request, sha256), bytes);
  if (range.kind === "outside")
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${bytes}` } });
  const part = range.kind === "part" ? range : { first: 0, last: bytes - 1 };
  const init = {
    status: range.kind === "part" ? 206 : 200,
    headers: {
      ...headers,
      "content-length": String(part.last + 1 - part.first),
      ...(range.kind === "part" && { "content-range": `bytes ${part.first}-${part.last}/${bytes}` }),
    },
  };
  await using file = await content.open(); // also for HEAD: it promises bytes that are right
  if (request.method === "HEAD" || bytes === 0) return new Response(null, init);
  await content.leaving();
  await sent(outgoing, init, content, file, part);
  return RESPONSE_ALREADY_SENT;
}

async function sent(
  outgoing: ServerResponse,
  { status, headers }: { status: number; headers: Record<string, string> },
  { seen, onFault }: Content,
  file: FileHandle,
  part: { first: number; last: number },
): Promise<void> {
  outgoing.on("error", () => undefined); // a receiver may go away at any time
  outgoing.writeHead(status, headers);
  try {
    await writeContent(outgoing, file, part, seen);
  } catch (error) {
    outgoing.destroy(); // too late for an answer: fewer bytes than promised tell that something is wrong
    onFault(error);
  }
}

function headersOf({ name, sha256 }: Content): Record<string, string> {
  return {
    etag: `"${sha256}"`,
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache", // the bytes stay the same, the right to them may not
    "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${name}"`,
    "x-content-type-options": "nosniff",
  };
}

/** A range of other bytes than ours would not fit to what the caller has: then it gets all of them. */
function rangeIn(request: Request, sha256: Sha256): string | undefined {
  const unless = request.headers.get("if-range");
  return unless !== null && unless !== `"${sha256}"` ? undefined : (request.headers.get("range") ?? undefined);
}

function isKnown(header: string | null, sha256: Sha256): boolean {
  const tags = new Set((header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, "")));
  return tags.has("*") || tags.has(`"${sha256}"`);
}
