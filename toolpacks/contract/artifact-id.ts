import { base32 } from "./base32.ts";
import { hashBytesOf } from "./hash.ts";
import { ArtifactId, type ArtifactType, type ProjectId, type Sha256 } from "./ids.ts";

/** The same bytes in two projects are two artifacts over one blob; twice in one project they are one. */
export function artifactIdOf({
  project,
  sha256,
  type,
}: {
  project: ProjectId;
  sha256: Sha256;
  type: ArtifactType;
}): ArtifactId {
  return ArtifactId.parse(`art_${base32(hashBytesOf([project, sha256, type]))}`);
}
