import { join } from "node:path";
import { citations } from "./citations.ts";
import { coverageOf } from "./coverage.ts";
import { requirements } from "./requirements.ts";

// npm run requirements [-- --json]
const all = requirements();
const { covered, missing, unknown } = coverageOf(all, citations(join(import.meta.dirname, "..", "..")));

if (process.argv.includes("--json")) {
  const numbers = missing.map(({ number }) => number);
  console.log(JSON.stringify({ total: all.length, covered: covered.length, missing: numbers }));
} else {
  for (const document of new Set(all.map((each) => each.document))) printDocument(document);
  console.log(`\n${covered.length} of ${all.length} requirements are cited by a test.`);
}
for (const citation of unknown) console.error(`no such requirement: ${citation}`);
if (unknown.length > 0) process.exitCode = 1;

function printDocument(document: string) {
  const isOfIt = (each: { document: string }) => each.document === document;
  const open = missing.filter(isOfIt);
  console.log(`\n${document}: ${covered.filter(isOfIt).length} covered, ${open.length} missing`);
  for (const { number, mark, text } of open) console.log(`  ${number.padEnd(5)}${mark ? `[${mark}] ` : ""}${text}`);
}
