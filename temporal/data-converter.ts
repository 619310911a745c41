import { fileURLToPath } from "node:url";

/** For client, worker and workflow bundle alike: all three must refuse the same payloads. */
export const payloadConverterPath = fileURLToPath(new URL("./payload-converter.ts", import.meta.url));
export const dataConverter = { payloadConverterPath };
