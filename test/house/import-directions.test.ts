import { describe, expect, test } from "vitest";
import { importFaultsOf } from "./import-directions.ts";

const faultsOf = (path: string, text: string) => importFaultsOf([{ path, text }]);

describe("an import that points the wrong way is a fault", () => {
  test.each([
    ["the contract knows nothing of ours", "toolpacks/contract/a.ts", 'import { b } from "../../ledger/b.ts";'],
    ["the contract does no I/O", "toolpacks/contract/a.ts", 'import { readFile } from "node:fs/promises";'],
    ["the ledger does not know the gateway", "ledger/a.ts", 'import { b } from "../gateway/b.ts";'],
    ["a type is an import too", "ledger/a.ts", 'import type { B } from "../gateway/b.ts";'],
    ["so is what is passed on", "ledger/a.ts", 'export { b } from "../gateway/b.ts";'],
    ["and what is loaded later", "ledger/a.ts", 'const b = await import("../gateway/b.ts");'],
    ["over several lines as well", "ledger/a.ts", 'import {\n  b,\n  c,\n} from "../gateway/b.ts";'],
    ["a pack does not see the ledger", "toolpacks/packs/artifacts/a.ts", 'import { b } from "../../../ledger/b.ts";'],
    ["the gateway sees one door of Temporal", "gateway/a.ts", 'import { b } from "../temporal/worker.ts";'],
    ["a workflow imports no activity", "workflows/run.ts", 'import { b } from "../activities/b.ts";'],
    ["a workflow has no built-ins", "workflows/run.ts", 'import { randomUUID } from "node:crypto";'],
    ["under their old names neither", "workflows/run.ts", 'import { join } from "path";'],
    ["nobody imports the command line", "gateway/a.ts", 'import { b } from "../cli/config.ts";'],
    ["nor the tests", "cli/a.ts", 'import { b } from "../test/kit/b.ts";'],
  ])("%s", (_, path, text) => {
    expect(faultsOf(path, text)).toHaveLength(1);
  });
});

describe("an import that follows the table is none", () => {
  test.each([
    ["within a folder", "ledger/blobs/a.ts", 'import { b } from "../b.ts";'],
    ["the contract hashes", "toolpacks/contract/hash.ts", 'import { createHash } from "node:crypto";'],
    ["the ledger uses the contract", "ledger/a.ts", 'import { b } from "../toolpacks/contract/b.ts";'],
    ["a workflow knows the types of activities", "workflows/run.ts", 'import type { B } from "../activities/b.ts";'],
    ["in either spelling", "workflows/run.ts", 'type B = typeof import("../activities/b.ts");'],
    ["and how failures cross", "workflows/run.ts", 'import { b } from "../temporal/failures.ts";'],
    ["the gateway starts runs", "gateway/a.ts", 'import { b } from "../temporal/client-door.ts";'],
    ["packages are knip's business", "ledger/a.ts", 'import pg from "pg";'],
  ])("%s", (_, path, text) => {
    expect(faultsOf(path, text)).toEqual([]);
  });
});
