import type { Reporter, TestModule } from "vitest/node";

/**
 * Counts what a run came to. What fails outside a test (the check, a file that does not load, an error nobody caught,
 * a coverage floor) is counted among the failed, so that the last line never says "0 failed" of a red run.
 */
export function createTally() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const faults: string[] = [];

  const reporter: Reporter = {
    onTestRunEnd(modules, unhandledErrors) {
      for (const module of modules) {
        for (const test of module.children.allTests()) counts[countedAs(test.result().state)] += 1;
        if (failedOutsideTests(module)) faults.push(`failed outside its tests: ${module.relativeModuleId}`);
      }
      for (const error of unhandledErrors) faults.push(`nobody caught: ${error.message}`);
    },
  };

  return {
    reporter,
    fault: (text: string) => void faults.push(text),
    faults: (): readonly string[] => faults,
    isGreen: () => counts.passed > 0 && counts.failed + faults.length === 0,
    summary: () => `${counts.passed} passed, ${counts.failed + faults.length} failed, ${counts.skipped} skipped`,
  };
}

// A test still pending at the end was never run: its worker died, or a hook before it hung.
const countedAs = (state: "passed" | "failed" | "skipped" | "pending") => (state === "pending" ? "failed" : state);

function failedOutsideTests(module: TestModule): boolean {
  if (module.errors().length > 0) return true;
  return [...module.children.allSuites()].some((suite) => suite.errors().length > 0);
}
