import type { ImageContent } from "@modelcontextprotocol/server";
import { readWhole } from "../../ledger/blobs/read-whole.ts";
import type { BlobStore } from "../../ledger/blobs/store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Answer } from "../../toolpacks/contract/envelope.ts";
import { ArtifactId } from "../../toolpacks/contract/ids.ts";
import { isJsonObject } from "../../toolpacks/contract/json.ts";
import type { Caller } from "../admission/authenticate.ts";

type Deps = { ledger: Pick<Ledger, "findArtifact">; blobs: Pick<BlobStore, "open">; onFault(error: unknown): void };
export type ThumbnailOf = (caller: Caller, answer: Answer) => Promise<ImageContent | undefined>;

const maxBytes = 512 * 1_024; // 256 x 256 pixels of noise are half of it

/** The small picture that an answer names under `thumbnail`, for clients that show one. Without it the answer is whole too. */
export function createThumbnailOf({ ledger, blobs, onFault }: Deps): ThumbnailOf {
  return async function thumbnailOf({ project }, answer) {
    const artifactId = namedIn(answer);
    if (artifactId === undefined) return undefined;
    try {
      const artifact = await ledger.findArtifact({ project, artifactId });
      if (artifact?.type !== "png" || artifact.bytes > maxBytes) return undefined;
      const { content } = await readWhole(blobs, artifact);
      return { type: "image", data: Buffer.from(content).toString("base64"), mimeType: "image/png" };
    } catch (error) {
      onFault(error);
      return undefined;
    }
  };
}

/** In the output of a tool, or in the result of a run that was waited for. */
function namedIn(answer: Answer): ArtifactId | undefined {
  if (answer.status !== "success" || !isJsonObject(answer.output)) return undefined;
  const { thumbnail, result } = answer.output;
  const named = thumbnail ?? (isJsonObject(result) ? result["thumbnail"] : undefined);
  return isJsonObject(named) ? ArtifactId.safeParse(named["artifact_id"]).data : undefined;
}
