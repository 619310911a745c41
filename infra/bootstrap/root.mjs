import { fileURLToPath } from "node:url";

/** The clone's directory. */
export const root = fileURLToPath(new URL("../..", import.meta.url));
