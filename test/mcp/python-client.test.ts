import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { type Installation, startInstallation } from "../kit/installation.ts";
import { pythonWithMcp } from "./python.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "client.py");
const python = await pythonWithMcp();
const title = python.found ? "the Python client" : `the Python client [skipped: ${python.why}]`;

describeWith("temporal", "over HTTP", () => {
  describe.skipIf(!python.found)(title, () => {
    let installation: Installation;
    beforeAll(async () => {
      installation = await startInstallation();
    });
    afterAll(() => installation[Symbol.asyncDispose]());

    test.each([
      { mode: "legacy", era: "2025-11-25" },
      { mode: "auto", era: "2026-07-28" },
    ])(
      "lists, imports, replays, previews and is told what is wrong, in protocol $era (A8, A13, C48)",
      async ({ mode, era }) => {
        const { mcpUrl, token } = installation.gateway;
        const interpreter = python.found ? python.interpreter : "";

        const { stdout } = await run(interpreter, [script, mcpUrl, mode], {
          env: { ...process.env, HELIXRUN_TOKEN: token },
        });

        const seen = JSON.parse(stdout) as Record<string, { run_id?: string }>;
        expect(seen).toMatchObject({
          protocol: era,
          tools: expect.arrayContaining(["artifact_import", "run_wait"]),
          imported: { status: "success", provenance: { replayed: false } },
          again: { status: "success", run_id: seen["imported"]?.run_id, provenance: { replayed: true } },
          preview: { status: "success", output: { text: `hello from Python, ${mode}` } },
          wrong: { status: "invalid_request", error: { code: "I-REQ-001", details: { violations: [{}, {}] } } },
          wrong_is_error: true,
          run: { status: "success", output: { state: "succeeded" } },
        });
      },
    );
  });
});
