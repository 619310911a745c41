import { Role, type ArtifactId } from "../../contract/ids.ts";
import type { JsonObject } from "../../contract/json.ts";
import type { DeclaredOutput } from "../../contract/plan.ts";
import type { Canonicalized, CanonicalizeContext } from "../../contract/tool-definition.ts";

/** What a call means that looks at one artifact: which one, with which bytes, and how it is looked at. */
export async function ofOneArtifact(
  context: CanonicalizeContext,
  artifactId: ArtifactId,
  { params = {}, outputs = [] }: { params?: JsonObject; outputs?: DeclaredOutput[] } = {},
): Promise<Canonicalized> {
  const { sha256 } = await context.artifact(artifactId);
  return {
    canonicalParams: { artifact_id: artifactId, sha256, ...params },
    plan: { kind: "inline", outputs },
    inputsToLink: [{ role: Role.parse("artifact"), artifactId }],
  };
}
