import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

const services = "test/kit/services.ts";

// Pure tests, which need nothing but Node. All others may lean on the services of test/kit.
const pure = [
  "test/toolpacks/{contract,loaders}/**/*.test.ts",
  "test/{house,requirements}/**/*.test.ts",
  "test/gateway/policy/**/*.test.ts",
];
const chaos = ["test/chaos/**/*.test.ts"];

export default defineConfig({
  test: {
    retry: 0, // a test that passes at the second asking has failed (C140)
    allowOnly: false,
    setupFiles: ["test/house/fail-on-warnings.ts"],
    projects: [
      {
        extends: true,
        test: { name: "fast", include: pure, testTimeout: 20_000, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: "real",
          include: ["test/**/*.test.ts"],
          exclude: [...pure, ...chaos],
          globalSetup: existsSync(services) ? [services] : [],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        // Kills are timed against a machine that does nothing else: one file at a time, each with a stack of its own.
        test: {
          name: "chaos",
          include: chaos,
          testTimeout: 900_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["toolpacks/contract/**/*.ts", "gateway/admission/**/*.ts", "ledger/**/*.ts"],
      reporter: [], // what is below its floor is said; the rest is silent
      thresholds: {
        "toolpacks/contract/**": floor({ all: 90, branches: 90 }),
        "gateway/admission/**": floor({ all: 90, branches: 80 }),
        "ledger/**": floor({ all: 85, branches: 75 }),
      },
    },
  },
});

/** Branches have floors of their own: what only a broken disk or a foreign machine can reach is hard to walk in a test. */
function floor({ all, branches }: { all: number; branches: number }) {
  return { lines: all, statements: all, functions: all, branches };
}
