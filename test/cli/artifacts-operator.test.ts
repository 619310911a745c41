import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { type Installation, startInstallation } from "../kit/installation.ts";
import { postToolCall } from "../../cli/mcp-post.ts";
import { helixrun } from "./kit.ts";

describeWith("temporal", "helixrun artifacts", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  async function run(...args: string[]) {
    const running = helixrun(["artifacts", ...args, "--data", installation.dataDir]);
    const { code } = await running.ended;
    return { code, stdout: running.stdout(), stderr: running.stderr() };
  }

  test("gc says what it did, for people and as JSON; a dry run says what it would do (A39)", async () => {
    const dry = await run("gc", "--dry-run");
    const json = await run("gc", "--json");

    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout).toMatch(
      /^nothing was changed; now would be:\nlogs past their age: 0 \(.*\)\nblobs condemned: 0/,
    );
    const none = { count: 0, bytes: 0 };
    expect(JSON.parse(json.stdout)).toEqual({
      dry_run: false,
      tombstoned_logs: none,
      condemned: none,
      swept: none,
      orphans: none,
    });
  });

  test("verify ends with 0 when all is well, with 4 and the names of what to import again when it is not (A39)", async () => {
    const call = { name: "artifact_import", arguments: { content: "verified" } };
    const answer = await postToolCall(installation.gateway, call);
    const { artifact_id, sha256 } = (answer as unknown as { output: { artifact_id: string; sha256: string } }).output;

    const well = await run("verify");
    await rm(join(installation.blobs, sha256.slice(0, 2), sha256.slice(2)));
    const bad = await run("verify");
    await postToolCall(installation.gateway, call);
    const healed = await run("verify", "--json", "--sample", "1");

    expect(well).toMatchObject({ code: 0, stderr: "" });
    expect(well.stdout).toMatch(/^verified \d+ blobs \(.*\), 0 bad\n$/);
    expect(bad.code).toBe(4);
    expect(bad.stdout).toContain(`${artifact_id} of project default, made by ${answer.run_id}`);
    expect(healed.code).toBe(0);
    expect(JSON.parse(healed.stdout)).toMatchObject({ bad: [] });
  });

  test("a sample that is no part of something is refused in words", async () => {
    expect(await run("verify", "--sample", "2")).toEqual({
      code: 2,
      stdout: "",
      stderr: "helixrun: --sample is a part such as 0.1, not 2\n",
    });
  });
});
