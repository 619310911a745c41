import { buildBundle } from "../../temporal/workflow-bundle.ts";

// A process that bundles the workflows to the path it is given, and ends.
const [, , path] = process.argv;
if (path === undefined) throw new Error("usage: bundle-workflows.ts PATH");
await buildBundle(path);
