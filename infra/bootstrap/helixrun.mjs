#!/usr/bin/env node
// The `helixrun` command of a clone: works before anything is installed.
import { runOnOurNode } from "./run-on-our-node.mjs";

await runOnOurNode(["cli/main.ts", ...process.argv.slice(2)]);
