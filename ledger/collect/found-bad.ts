import type { ArtifactId, Sha256 } from "../../toolpacks/contract/ids.ts";
import { isToolError, ToolError } from "../../toolpacks/contract/tool-error.ts";
import type { BlobStore } from "../blobs/store.ts";
import type { Ledger } from "../ledger.ts";

type Deps = { ledger: Pick<Ledger, "quarantineBlob">; blobs: Pick<BlobStore, "check" | "take"> };
type Read = { artifactId: ArtifactId; sha256: Sha256; createdByRun: string };

/** Waits for what somebody reads of an artifact. Should it be bad, the error says more than the store alone knows. */
export async function orFoundBad<T>(deps: Deps, artifact: Read, reading: Promise<T>): Promise<T> {
  return reading.catch(async (error: unknown) => {
    const isBad = isToolError(error) && error.code === "D-DATA-001";
    throw isBad ? await foundBad(deps, artifact, error) : error;
  });
}

/**
 * What a reader says who met D-DATA-001: the artifact, and the run that made it, so that whoever reads the error knows
 * what to import again. The blob is looked at once more and set aside.
 */
async function foundBad({ ledger, blobs }: Deps, artifact: Read, error: ToolError): Promise<ToolError> {
  const { sha256 } = artifact;
  const { found, verified } = await blobs.check(sha256, atOnce);
  if (found !== sha256) await ledger.quarantineBlob({ blobs, sha256, read: { verified } });
  const details = { ...error.details, artifact_id: artifact.artifactId, made_by_run: artifact.createdByRun };
  return new ToolError("D-DATA-001", { details, cause: error });
}

const atOnce = async () => undefined;
