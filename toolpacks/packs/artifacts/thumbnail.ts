import sharp from "sharp";

export type Picture = { format: string; width: number; height: number; channels: number; hasAlpha: boolean };
export type Thumbnail = { content: Uint8Array; width: number; height: number };

// A WebP, an interlaced PNG or a progressive JPEG is decoded whole: 50 million pixels of 4 bytes are 200 MB for a moment.
const maxPixels = 50_000_000;
const maxSide = 256;
const patienceSeconds = 10;

/** What the header of a picture says; nothing is decoded. Rejects for what is no picture. */
export async function pictureOf(content: Uint8Array): Promise<Picture> {
  const { format, width, height, channels, hasAlpha } = await sharp(content, { limitInputPixels: false }).metadata();
  return { format, width, height, channels, hasAlpha };
}

export function isTooLarge({ width, height }: Picture): boolean {
  return width * height > maxPixels;
}

/** A small PNG of a picture, upright. Rejects for one that is broken, lies about its size, or takes too long. */
export async function thumbnailOf(content: Uint8Array): Promise<Thumbnail> {
  sharp.cache(false); // a worker lives long and sees every picture once
  const { data, info } = await sharp(content, { limitInputPixels: maxPixels, sequentialRead: true, pages: 1 })
    .timeout({ seconds: patienceSeconds })
    .autoOrient()
    .resize(maxSide, maxSide, { fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .png({ compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true });
  return { content: data, width: info.width, height: info.height };
}
