import { decodedText } from "../../contract/harmless-text.ts";
import type { ArtifactId } from "../../contract/ids.ts";
import type { ToolRun } from "../../contract/tool-definition.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { signatureOf } from "./file-signature.ts";
import { gunzipHead } from "./gunzip-head.ts";

export type TextStart = { text: string; cut: boolean; gzipped: boolean; bytesRead: number; bytesTotal: number };

/**
 * The start of a text artifact, unpacked if it is gzipped. At most `maxBytes` are read, and at most as many unpacked,
 * whatever the file claims. `D-DATA-002` for what is not UTF-8 text.
 */
export async function readText(
  artifacts: Pick<ToolRun["artifacts"], "find" | "readHead">,
  artifactId: ArtifactId,
  maxBytes: number,
): Promise<TextStart> {
  const { bytes } = await artifacts.find(artifactId);
  const stored = await artifacts.readHead(artifactId, Math.min(bytes, maxBytes));
  const gzipped = signatureOf(stored) === "gzip";
  const unpacked = gzipped ? await gunzipHead(stored, maxBytes) : { head: stored, cut: false, broken: false };
  const text = decodedText(unpacked.head);
  if (text === undefined || (unpacked.broken && text === "")) throw unreadable(artifactId, "UTF-8 text");
  return {
    text,
    cut: unpacked.cut || unpacked.broken || stored.length < bytes,
    gzipped,
    bytesRead: unpacked.head.length,
    bytesTotal: bytes,
  };
}

export function unreadable(artifactId: ArtifactId, expected: string, more: Record<string, string | number> = {}) {
  return new ToolError("D-DATA-002", { details: { artifact_id: artifactId, expected, ...more } });
}
