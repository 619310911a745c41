import { join } from "node:path";
import { runCheck } from "./run-check.ts";

const failed = await runCheck(join(import.meta.dirname, "..", ".."), console.log);
if (failed.length > 0) process.exitCode = 1;
