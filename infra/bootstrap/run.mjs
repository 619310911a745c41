// node infra/bootstrap/run.mjs <script.ts> [args…]: what every npm script goes through, so that none needs `npm install` before it.
import { runOnOurNode } from "./run-on-our-node.mjs";

await runOnOurNode(process.argv.slice(2));
