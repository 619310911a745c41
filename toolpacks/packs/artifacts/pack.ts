import { artifactGet } from "./artifact-get.ts";
import { artifactImport } from "./artifact-import.ts";
import { artifactList } from "./artifact-list.ts";
import { artifactPreviewImage } from "./artifact-preview-image.ts";
import { artifactPreviewReport } from "./artifact-preview-report.ts";
import { artifactPreviewTable } from "./artifact-preview-table.ts";
import { artifactPreviewText } from "./artifact-preview-text.ts";
import { artifactTree } from "./artifact-tree.ts";

/** Artifacts in and out: the import boundary, and what may be seen of what was imported. */
export const tools = [
  artifactImport,
  artifactGet,
  artifactList,
  artifactPreviewText,
  artifactPreviewTable,
  artifactPreviewImage,
  artifactPreviewReport,
  artifactTree,
];
