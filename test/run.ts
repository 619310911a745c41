import { join } from "node:path";
import { parseArgs } from "node:util";
import { startVitest, type CliOptions } from "vitest/node";
import { runCheck } from "./house/run-check.ts";
import { createTally } from "./house/tally.ts";

// npm test [-- filter ...]   everything: the check, all tests, the coverage floors; or only the files whose path holds a filter
// npm run chaos              every round of the kill tests, of which `npm test` does one or two
const root = join(import.meta.dirname, "..");
const { values, positionals: filters } = parseArgs({ options: { chaos: { type: "boolean" } }, allowPositionals: true });
const isFull = !values.chaos && filters.length === 0;
if (values.chaos) process.env["HELIXRUN_CHAOS"] = "full";

const tally = createTally();
const failedSteps = isFull ? await runCheck(root, console.log) : [];
await runTests({ coverage: { enabled: isFull }, ...(values.chaos && { project: ["chaos"] }) });

for (const step of failedSteps) tally.fault(`the check failed: ${step}`);
tally.faults().forEach((fault) => console.log(fault));
// Nothing may speak after the last line, and a handle left open by a test may not keep the run alive.
process.stdout.write(`${tally.summary()}\n`, () => process.exit(tally.isGreen() ? 0 : 1));

async function runTests(options: CliOptions) {
  const vitest = await startVitest("test", filters, {
    root,
    config: join(root, "vitest.config.ts"),
    watch: false,
    reporters: ["default", tally.reporter],
    ...options,
  });
  await vitest.close();
  // Vitest reports a missed coverage floor only through the exit code; the message is already on the screen.
  if (process.exitCode && tally.isGreen()) tally.fault("vitest ended with an error (a coverage floor, or see above)");
}
