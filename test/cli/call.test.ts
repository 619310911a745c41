import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { CallResponse } from "../../toolpacks/contract/envelope.ts";
import { describeWith } from "../kit/component.ts";
import { type Installation, startInstallation } from "../kit/installation.ts";
import { mcpCommand } from "../mcp/stdio-process.ts";
import { eventually, root } from "./kit.ts";

describeWith("temporal", "helixrun call", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  /** A helixrun command with the data directory of this installation, and what it reads from standard input. */
  async function helixrun(args: string[], input = "") {
    const { env } = mcpCommand(installation.dataDir);
    const child = spawn(process.execPath, [join(root, "cli/main.ts"), ...args, "--data", installation.dataDir], {
      cwd: tmpdir(),
      env,
    });
    child.stdin.end(input);
    const ended = new Promise<number | null>((done) => child.on("close", done));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { stdout, stderr, code };
  }

  async function envelope(args: string[], input?: string) {
    const { stdout, code } = await helixrun(["call", ...args, "--json"], input);
    return { code, ...CallResponse.parse(JSON.parse(stdout)) };
  }

  test("imports a file of the inbox and prints one envelope, the second time as a replay of the same run (A8, A13, C39)", async () => {
    await writeFile(join(installation.inbox, "reads.fasta"), ">r1\nACGT\n");

    const first = await envelope(["artifact_import", '{"path":"reads.fasta","label":"reads"}']);
    const again = await envelope(["artifact_import", '{"label":"reads","path":"reads.fasta"}']);

    expect(first).toMatchObject({
      code: 0,
      status: "success",
      output: { bytes: 9, type: "fasta", label: "reads" },
      provenance: { replayed: false },
    });
    expect(again).toMatchObject({ code: 0, status: "success", run_id: first.run_id, provenance: { replayed: true } });
  });

  test("prints for a person what came of it, with the run", async () => {
    const { stdout, stderr, code } = await helixrun(["call", "artifact_import", '{"content":"for a person"}']);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^run run_[a-z2-7]{52}: success\n\{\n {2}"artifact_id": "art_/);
  });

  test("reads its input from standard input where it is -, whatever its length", async () => {
    const content = "0123456789".repeat(20_000);

    const answer = await envelope(["artifact_import", "-"], JSON.stringify({ content }));

    expect(answer).toMatchObject({ code: 0, status: "success", output: { bytes: 200_000 } });
  });

  test.each([
    {
      what: "input that breaks the schema of the tool",
      args: ["artifact_import", '{"contents":"x"}'],
      code: 2,
      status: "invalid_request",
      error: "I-REQ-001",
    },
    {
      what: "a tool that does not exist",
      args: ["no_such_tool", "{}"],
      code: 2,
      status: "invalid_request",
      error: "I-REQ-004",
    },
    {
      what: "a version that does not exist",
      args: ["artifact_import", '{"content":"x"}', "--tool-version", "^9"],
      code: 2,
      status: "invalid_request",
      error: "I-REQ-005",
    },
    {
      what: "an envelope that is not valid",
      args: ["artifact_import", '{"content":"x"}', "--timeout-ms", "0"],
      code: 2,
      status: "invalid_request",
      error: "I-REQ-002",
    },
    {
      what: "an artifact that does not exist",
      args: ["artifact_get", JSON.stringify({ artifact_id: `art_${"a".repeat(52)}` })],
      code: 4,
      status: "terminal_error",
      error: "P-PRECOND-001",
    },
    {
      what: "a path outside the import roots",
      args: ["artifact_import", '{"path":"../postgres.json"}'],
      code: 4,
      status: "terminal_error",
      error: "A-AUTH-006",
    },
  ])(
    "ends with $code for $what, with the code of the fault and how to mend it (A20, C44)",
    async ({ args, code, status, error }) => {
      expect(await envelope(args)).toMatchObject({
        code,
        status,
        error: { code: error, details: { fix: expect.any(String) } },
      });
    },
  );

  test.each(["{not json", '{"content":"x","content":"y"}', '{"max":9007199254740993}'])(
    "ends with 2 and says what is wrong where the input is %s",
    async (input) => {
      const { stdout, stderr, code } = await helixrun(["call", "artifact_import", input]);

      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^helixrun: the input is not valid JSON: .*pointer/);
    },
  );

  test("the same bytes in two projects are two artifacts over one blob, each seen in its own project only", async () => {
    const refused = await helixrun(["call", "artifact_import", '{"content":"shared"}', "--project", "lab-a"]);
    const token = await helixrun(["token", "new", "--project", "lab-a"]);

    const here = await envelope(["artifact_import", '{"content":"shared"}']);
    const there = await envelope(["artifact_import", '{"content":"shared"}', "--project", "lab-a"]);

    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("helixrun token new --project lab-a") });
    expect(token).toMatchObject({ code: 0, stdout: expect.stringMatching(/^hx_[\w-]{43}\n$/) });
    expect([here.code, there.code]).toEqual([0, 0]);
    const ids = [here, there].map(
      (answer) => (answer as unknown as { output: { artifact_id: string } }).output.artifact_id,
    );
    const stored = await installation.query(
      "select project, sha256 from artifacts where artifact_id = any($1) order by project",
      [ids],
    );
    expect(stored).toEqual(["default", "lab-a"].map((project) => ({ project, sha256: sha256OfShared })));
    expect(await installation.query("select 1 from blobs where sha256 = $1", [sha256OfShared])).toHaveLength(1);
    expect(here.run_id).not.toBe(there.run_id);
    expect(
      await envelope(["artifact_get", JSON.stringify({ artifact_id: ids[0] }), "--project", "lab-a"]),
    ).toMatchObject({ code: 4, error: { code: "P-PRECOND-001" } });
  });

  test("ends with 3 and in words while the gateway is away: the call may be repeated, and then succeeds", async () => {
    await installation.signal("supervisor", "SIGSTOP"); // else the gateway would be back before the command has begun
    onTestFinished(() => installation.signal("supervisor", "SIGCONT"));
    await installation.signal("gateway", "SIGKILL");

    const early = await helixrun(["call", "artifact_import", '{"content":"early"}', "--json"]);
    await installation.signal("supervisor", "SIGCONT");
    await eventually(async () => (await installation.stack()).services.gateway?.restarts === 1);
    const late = await envelope(["artifact_import", '{"content":"early"}']);

    expect(early).toEqual({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(/^helixrun: the gateway cannot be reached: .*\n$/),
    });
    expect(late).toMatchObject({ code: 0, status: "success" });
  });

  test("and when the stack is stopped, no process is left", async () => {
    expect(await installation.down()).toEqual([]);
  });
});

const sha256OfShared = "a4d26868017c0ccffe2efe50944ef4211834660cca834c6e9f86dec6a88246fa"; // printf shared | sha256sum
