import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { type Installation, startInstallation } from "../kit/installation.ts";
import { eventually } from "../cli/kit.ts";
import { type ClientKind, connectHttp, type Listed, type McpClient } from "./clients.ts";

const ours = [
  ...["artifact_get", "artifact_import", "artifact_list", "artifact_preview_image", "artifact_preview_report"],
  ...["artifact_preview_table", "artifact_preview_text", "artifact_tree"],
  ...["run_cancel", "run_get", "run_lineage", "run_list", "run_wait"],
];

const kinds: { kind: ClientKind; era: string }[] = [
  { kind: "v1", era: "2025-11-25" },
  { kind: "v2 legacy", era: "2025-11-25" },
  { kind: "v2 auto", era: "2026-07-28" },
];

describeWith("temporal", "over HTTP", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  describe.each(kinds)("a client of the library's $kind", ({ kind, era }) => {
    let client: McpClient;
    let tools: Listed[];
    beforeAll(async () => {
      client = await connectHttp(kind, installation.gateway);
      tools = await client.listTools();
    });
    afterAll(() => client[Symbol.asyncDispose]());

    test(`agrees on protocol ${era} and finds the tools, sorted, each with the schema of its answers (A42)`, () => {
      expect(client.protocolVersion()).toBe(era);
      expect(tools.map(({ name }) => name)).toEqual(ours);
      expect(tools.filter(({ outputSchema }) => !outputSchema)).toEqual([]);
    });

    test("imports, asks again and gets the same run, and previews what it imported (A8, A13, C39, C43, C45)", async () => {
      const first = await client.call("artifact_import", { content: `hello from ${kind}` });
      const again = await client.call("artifact_import", { content: `hello from ${kind}` });
      const preview = await client.call("artifact_preview_text", { artifact_id: outputOf(first)["artifact_id"] });

      expect(first).toMatchObject({
        status: "success",
        provenance: { tool_id: "artifact_import", replayed: false },
        commit_token: null,
        side_effects: [],
        warnings: [],
      });
      expect(first).not.toHaveProperty("error");
      expect(first.metrics).toEqual({
        duration_ms: expect.any(Number),
        cpu_ms: expect.any(Number),
        memory_peak_mb: expect.any(Number),
      });
      expect(again).toMatchObject({
        status: "success",
        run_id: first.run_id,
        output: outputOf(first),
        provenance: { replayed: true },
      });
      expect(preview).toMatchObject({ status: "success", output: { text: `hello from ${kind}`, truncated: false } });
      expect(violationsOf(tools, "artifact_import", first)).toEqual([]);
      expect(violationsOf(tools, "artifact_preview_text", preview)).toEqual([]);
    });

    test("is told everything that is wrong with a request, in the published form (C44, C47, C48)", async () => {
      const answer = await client.call("artifact_import", { content: 5, type: "no such type", colour: "red" });

      expect(answer).toMatchObject({ status: "invalid_request", run_id: null, error: { code: "I-REQ-001" } });
      expect(answer).not.toHaveProperty("output");
      expect(pointersIn(answer)).toEqual(["/colour", "/content", "/type"]);
      expect(violationsOf(tools, "artifact_import", answer)).toEqual([]);
    });

    test("sees with run_get and run_wait what a run was, what it made and how it ended (A33, A34, A35, A36, A37)", async () => {
      const { run_id, output } = await successOf(client, `seen by ${kind}`);

      const seen = await client.call("run_get", { run_id });
      const waited = await client.call("run_wait", { run_id });

      const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
      expect(outputOf(seen)).toMatchObject({
        run_id,
        tool: "artifact_import",
        contract_version: "v1",
        tool_version: "1.0.0",
        digest: hash,
        policy_hash: hash,
        params_hash: hash,
        attempt: 1,
        state: "succeeded",
        result: output,
      });
      expect(rolesIn(seen)).toEqual(["artifact", "log"]);
      expect(outputOf(waited)).toEqual(outputOf(seen));
      expect(violationsOf(tools, "run_get", seen)).toEqual([]);
      expect(violationsOf(tools, "run_wait", waited)).toEqual([]);
    });

    test("cancels a run that has not begun, whose waiting caller is told, and asks again with success", async () => {
      await installation.signal("worker", "SIGSTOP");
      onTestFinished(() => installation.signal("worker", "SIGCONT"));
      const calling = client.call("artifact_import", { content: `cancelled by ${kind}` });
      const runId = await eventually(async () => (await openRuns(installation))[0]);

      const waited = await client.call("run_wait", { run_id: runId, wait_s: 0 });
      const cancelled = await client.call("run_cancel", { run_id: runId });

      expect(waited).toMatchObject({ status: "pending", state: "queued" });
      expect(outputOf(cancelled)).toMatchObject({ run_id: runId, state: "cancelled" });
      expect(await calling).toMatchObject({
        status: "terminal_error",
        run_id: runId,
        error: { code: "P-PRECOND-009" },
      });
      expect(violationsOf(tools, "run_wait", waited)).toEqual([]);
      expect(violationsOf(tools, "artifact_import", await calling)).toEqual([]);
      await installation.signal("worker", "SIGCONT");
      const again = await successOf(client, `cancelled by ${kind}`);
      expect(again.run_id).toBe(runId);
      expect(outputOf(await client.call("run_get", { run_id: runId }))).toMatchObject({
        attempt: 2,
        state: "succeeded",
      });
      expect(await client.call("run_cancel", { run_id: runId })).toMatchObject({
        status: "terminal_error",
        error: { code: "P-PRECOND-005" },
      });
    });
  });
});

type Answer = Awaited<ReturnType<McpClient["call"]>>;

function outputOf(answer: Answer): Record<string, unknown> {
  expect(answer).toMatchObject({ status: "success" });
  return (answer as unknown as { output: Record<string, unknown> }).output;
}

async function successOf(client: McpClient, content: string) {
  const answer = await client.call("artifact_import", { content });
  return { run_id: answer.run_id, output: outputOf(answer) };
}

const pointersIn = (answer: Answer): string[] => {
  const { error } = answer as unknown as { error: { details: { violations: { pointer: string }[] } } };
  return error.details.violations.map(({ pointer }) => pointer).toSorted();
};

const rolesIn = (seen: Answer): string[] =>
  (outputOf(seen)["outputs"] as { role: string }[]).map(({ role }) => role).toSorted();

/** What the published schema has against an answer: v2 clients do not look at errors themselves. */
function violationsOf(tools: Listed[], name: string, answer: Answer): unknown[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  const validate = ajv.compile(tools.find((tool) => tool.name === name)?.outputSchema ?? false);
  return validate(answer) ? [] : (validate.errors ?? []);
}

async function openRuns({ query }: Installation): Promise<string[]> {
  return (await query<{ run_id: string }>("select run_id from attempts where ended_at is null")).map(
    ({ run_id }) => run_id,
  );
}
