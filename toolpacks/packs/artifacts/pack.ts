import { artifactGet } from "./artifact-get.ts";
import { artifactImport } from "./artifact-import.ts";
import { artifactPreviewText } from "./artifact-preview-text.ts";

/** Artifacts in and out: the import boundary, and what may be seen of what was imported. */
export const tools = [artifactImport, artifactGet, artifactPreviewText];
