import { z } from "zod";
import { ArtifactId, ArtifactType, Role, Sha256 } from "../../contract/ids.ts";
import type { ToolSource } from "../../contract/tool-definition.ts";
import { signatureOf } from "./file-signature.ts";
import { unreadable } from "./read-text.ts";
import { isTooLarge, pictureOf, thumbnailOf } from "./thumbnail.ts";
import { ofOneArtifact } from "./of-one-artifact.ts";

const maxBytes = 64 * 1_048_576;
const pictures = new Set(["png", "jpeg", "webp"]);
const expected = "a PNG, JPEG or WebP picture";
const thumbnail = {
  role: Role.parse("thumbnail"),
  type: ArtifactType.parse("png"),
  label: "thumbnail",
};

const Input = z.strictObject({ artifact_id: ArtifactId });
type Input = z.infer<typeof Input>;

const Output = z.strictObject({
  artifact_id: ArtifactId,
  format: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
  channels: z.int().positive(),
  has_alpha: z.boolean(),
  thumbnail: z.strictObject({ artifact_id: ArtifactId, width: z.int(), height: z.int(), bytes: z.int() }),
});
const Params = z.strictObject({ artifact_id: ArtifactId, sha256: Sha256 });

/** A picture as its size and a small copy, which the answer shows (A3); the copy is an artifact too (A1). */
export const artifactPreviewImage: ToolSource<Input> = {
  abiVersion: "v1",
  toolName: "artifact_preview_image",
  contractVersion: "v1",
  version: "1.0.0",
  title: "Preview a picture",
  description: "Format and size of a PNG, JPEG or WebP artifact, and a thumbnail of at most 256 pixels.",
  owner: "helixrun",
  determinism: "pure",
  planKind: "inline",
  input: Input,
  output: Output,

  async canonicalize({ artifact_id }, context) {
    return ofOneArtifact(context, artifact_id, { outputs: [thumbnail] });
  },

  async run({ params, artifacts, log }) {
    const { artifact_id } = Params.parse(params);
    const signature = signatureOf(await artifacts.readHead(artifact_id, 16));
    if (signature === undefined || !pictures.has(signature)) throw unreadable(artifact_id, expected);
    const content = await artifacts.readAll(artifact_id, maxBytes);
    const whenBroken = (cause: unknown) => {
      throw unreadable(artifact_id, expected, { found: cause instanceof Error ? cause.message : "unreadable" });
    };
    const picture = await pictureOf(content).catch(whenBroken);
    const { format, width, height, channels } = picture;
    if (isTooLarge(picture)) throw unreadable(artifact_id, "a picture of at most 50 million pixels", { width, height });
    const small = await thumbnailOf(content).catch(whenBroken);
    log(`made a thumbnail of ${small.width} x ${small.height} pixels from ${format}, ${width} x ${height}`);
    return {
      artifact_id,
      format,
      width,
      height,
      channels,
      has_alpha: picture.hasAlpha,
      thumbnail: {
        artifact_id: await artifacts.store(thumbnail, small.content),
        width: small.width,
        height: small.height,
        bytes: small.content.length,
      },
    };
  },
};
