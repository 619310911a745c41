import { z } from "zod";
import { ArtifactId, ArtifactType, Sha256 } from "../../contract/ids.ts";
import type { ToolSource } from "../../contract/tool-definition.ts";
import { ofOneArtifact } from "./of-one-artifact.ts";

const Input = z.strictObject({ artifact_id: ArtifactId });
type Input = z.infer<typeof Input>;

const Output = z.strictObject({
  artifact_id: ArtifactId,
  sha256: Sha256,
  bytes: z.int().nonnegative(),
  type: ArtifactType,
  created_at: z.iso.datetime(),
});

/** What is known of an artifact, without its bytes. All of it is fixed when the artifact is made, so it replays. */
export const artifactGet: ToolSource<Input> = {
  abiVersion: "v1",
  toolName: "artifact_get",
  contractVersion: "v1",
  version: "1.0.0",
  title: "Describe an artifact",
  description: "Size, type, sha256 and age of an artifact.",
  owner: "helixrun",
  determinism: "pure",
  planKind: "inline",
  input: Input,
  output: Output,

  async canonicalize({ artifact_id }, context) {
    return ofOneArtifact(context, artifact_id);
  },

  async run({ params, artifacts }) {
    const { artifactId, sha256, bytes, type, createdAt } = await artifacts.find(
      ArtifactId.parse(params["artifact_id"]),
    );
    return { artifact_id: artifactId, sha256, bytes, type, created_at: createdAt.toISOString() };
  },
};
