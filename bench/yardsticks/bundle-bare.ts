import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger } from "@temporalio/worker";

// Bundles the bare workflow to the path it is given, and ends: bundling leaves 100 MB in its process.
const [, , path = ""] = process.argv;
const workflowsPath = fileURLToPath(new URL("./bare-workflow.ts", import.meta.url));
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger("ERROR") });
await writeFile(path, code);
