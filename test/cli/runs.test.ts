import { afterAll, beforeAll, expect, test } from "vitest";
import { postToolCall } from "../../cli/mcp-post.ts";
import { describeWith } from "../kit/component.ts";
import { type Installation, startInstallation } from "../kit/installation.ts";
import { helixrun } from "./kit.ts";

describeWith("temporal", "helixrun runs", () => {
  let installation: Installation;
  let imported: { run_id: string; artifact_id: string };
  let previewed: string;
  beforeAll(async () => {
    installation = await startInstallation();
    const content = { content: "name,count\nalpha,1\n", label: "counts\u001b[31m\u202e" };
    const first = await call("artifact_import", content);
    await call("artifact_import", content);
    imported = { run_id: first.run_id, artifact_id: first.output.artifact_id };
    previewed = (await call("artifact_preview_table", { artifact_id: imported.artifact_id })).run_id;
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  async function call(name: string, input: object) {
    const answer = await postToolCall(installation.gateway, { name, arguments: input });
    return answer as unknown as { run_id: string; output: { artifact_id: string } };
  }
  async function runs(...args: string[]) {
    const running = helixrun(["runs", ...args, "--data", installation.dataDir]);
    const { code } = await running.ended;
    return { code, stdout: running.stdout(), stderr: running.stderr() };
  }

  test("show is the receipt of a run: what, who, when, policy, build, inputs, outputs, timings, attempts (A38)", async () => {
    const { code, stdout } = await runs("show", imported.run_id);

    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    const hash = "sha256:[0-9a-f]{64}";
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toEqual(
      [
        `run      ${imported.run_id}`,
        "state    succeeded",
        String.raw`tool     artifact_import 1\.0\.0 \(contract v1\)`,
        `build    ${hash}`,
        `policy   ${hash}`,
        'params   \\{.*"sha256":.*\\}',
        "asked    2 times by local, 1 of them replayed",
        `when     opened ${time}, started ${time}, ended ${time}`,
        String.raw`took     queued \d+ ms, ran \d+ ms`,
        `attempt  1 succeeded ${time} by local`,
        String.raw`output   artifact ${imported.artifact_id} \(counts\u241b\[31m\u2421\)`,
        String.raw`output   log art_[a-z2-7]+ \(.+\)`,
        'result   \\{.*"artifact_id".*\\}',
      ].map((line) => expect.stringMatching(new RegExp(`^${line}$`))),
    );
  });

  test("list tells the newest first, and only what was asked for (A38)", async () => {
    const all = await runs("list");
    const previews = await runs("list", "--tool", "artifact_preview_table", "--state", "succeeded");
    const failed = await runs("list", "--state", "failed");

    expect(all.stdout.trimEnd().split("\n")[0]).toContain(previewed);
    expect(all.stdout).toContain(imported.run_id);
    expect(previews.stdout.trimEnd().split("\n")).toEqual([expect.stringContaining(previewed)]);
    expect(failed.stdout).toBe("no runs\n");
  });

  test("lineage tells where an artifact came from and what came of it, as text, Mermaid and JSON (A35, A38)", async () => {
    const text = await runs("lineage", imported.artifact_id);
    const mermaid = await runs("lineage", imported.artifact_id, "--mermaid");
    const json = await runs("lineage", previewed, "--direction", "up", "--json");

    const [maker, made, reader] = [imported.run_id, imported.artifact_id, previewed].map((id) => id.slice(0, 16));
    expect(text.stdout).toContain(`artifact_import [succeeded] ${maker} --artifact--> csv ${made}`);
    expect(mermaid.stdout).toMatch(/^flowchart LR\n/);
    expect(mermaid.stdout).toContain(`${maker} -->|"artifact"| ${made}`);
    expect(mermaid.stdout).toMatch(new RegExp(`${made} -->\\|".+"\\| ${reader}`));
    expect(JSON.parse(json.stdout)).toMatchObject({
      complete: true,
      edges: expect.arrayContaining([{ from: imported.run_id, to: imported.artifact_id, role: "artifact" }]),
    });
  });

  test("logs shows what a run wrote", async () => {
    expect((await runs("logs", imported.run_id)).stdout).toMatch(/import/);
  });

  test("a run that is not there ends with 4 and in words", async () => {
    const { code, stderr } = await runs("show", `run_${"a".repeat(52)}`);

    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("P-PRECOND-012") });
  });

  test.each(["list", "show", "wait", "cancel", "lineage", "logs"])("%s --help has an example", async (command) => {
    expect((await runs(command, "--help")).stdout).toContain(`Example:\n  helixrun runs ${command} `);
  });
});
