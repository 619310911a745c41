import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { postToolCall } from "../../cli/mcp-post.ts";
import { readAccount } from "../../ledger/server/account.ts";
import { databaseUrl } from "../../ledger/server/ready.ts";
import { readStack } from "../../cli/supervisor/stack-file.ts";
import { eventually, helixrun, ReadyLine, root } from "../cli/kit.ts";
import { RunId } from "../../toolpacks/contract/ids.ts";
import { answersIn, backupIn, Fixture, fixtureFolder } from "./fixture.ts";

// node test/upgrade/make-fixture.ts COMMIT LEVEL: the version of that commit makes an installation by real calls, and
// today's `backup` writes it to test/upgrade/level-LEVEL. Run once for each level, when it is released; then committed.
const [, , commit, level] = process.argv;
if (commit === undefined || level === undefined) throw new Error("usage: make-fixture.ts COMMIT LEVEL, as v0.1.0 0001");
await makeFixture(commit, fixtureFolder(level));

async function makeFixture(from: string, folder: string): Promise<void> {
  const [code, dataDir] = await Promise.all([temporary("code"), temporary("data")]);
  const main = join(await exported(from, code), "cli/main.ts");
  const owner = spawn(process.execPath, [main, "up", "--json", "--no-first-call", "--data", dataDir], {
    cwd: code,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(createInterface({ input: owner.stdout }), "line")) as [string];
    const ready = ReadyLine.parse(JSON.parse(line));
    const other: unknown = JSON.parse(run(main, ["token", "new", "--json", "--project", "lab-b", "--data", dataDir]));
    const tokens = { default: ready.token, "lab-b": (other as { token: string }).token };
    const made = await makeRuns(ready, tokens);
    const open = await leaveOneOpen(ready, dataDir);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const backup = helixrun(["backup", backupIn(folder), "--data", dataDir]);
    if ((await backup.ended).code !== 0) throw new Error(backup.stderr());
    const answers = Fixture.parse({ made, open, ...(await countsOf(dataDir)) });
    await writeFile(answersIn(folder), `${JSON.stringify(answers, null, 2)}\n`);
  } finally {
    owner.kill("SIGKILL"); // its services end with it
    await once(owner, "close");
    for (const used of [code, dataDir]) await rm(used, { recursive: true, force: true, maxRetries: 20 });
  }
}

function temporary(what: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `helixrun-fixture-${what}-`));
}

/** The code of that commit, on the packages of today. */
async function exported(from: string, code: string): Promise<string> {
  execFileSync("bash", ["-euo", "pipefail", "-c", 'git archive "$0" | tar -x -C "$1"', from, code], { cwd: root });
  await symlink(join(root, "node_modules"), join(code, "node_modules"));
  return code;
}

function run(main: string, args: string[]): string {
  return execFileSync(process.execPath, [main, ...args], { encoding: "utf8" });
}

type Tokens = Record<"default" | "lab-b", string>;

/** Types and labels are said: how they would be told from the content may change, and with it the run. */
async function makeRuns({ mcpUrl }: ReadyLine, tokens: Tokens) {
  const made: Fixture["made"] = [];
  const call = async (project: keyof Tokens, tool: string, input: Record<string, string>) => {
    const answer = await postToolCall({ mcpUrl, token: tokens[project] }, { name: tool, arguments: input });
    if (answer.status !== "success") throw new Error(JSON.stringify(answer));
    made.push({ project, tool, input, run_id: RunId.parse(answer.run_id), output: answer.output });
    return answer.output as { artifact_id: string };
  };
  for (const project of ["default", "lab-b"] as const) {
    const first = await call(project, "artifact_import", { content: "one\n", type: "text", label: "one" });
    await call(project, "artifact_import", { content: "one\n", type: "text", label: "one more" }); // the same artifact
    await call(project, "artifact_import", { content: `two in ${project}\n`, type: "text", label: "two" });
    await call(project, "artifact_preview_text", { artifact_id: first.artifact_id });
  }
  return made;
}

/** A worker that stands still leaves what is asked now open. */
async function leaveOneOpen({ mcpUrl, token, pids }: ReadyLine, dataDir: string): Promise<string> {
  process.kill(pids.worker, "SIGSTOP");
  const call = { name: "artifact_import", arguments: { content: "left open\n", type: "text", label: "open" } };
  postToolCall({ mcpUrl, token }, call).catch(() => undefined); // nobody will answer
  const [row] = await eventually(async () => {
    const rows = await query<{ run_id: string }>(dataDir, "select run_id from attempts where ended_at is null");
    return rows.length > 0 && rows;
  });
  return row?.run_id ?? "none";
}

async function countsOf(dataDir: string) {
  const [build] = await query(dataDir, "select tool_version as version, digest from runs limit 1");
  const projects = await query(
    dataDir,
    `select id, artifact_seq::int, run_seq::int, (select count(*)::int from artifacts where project = projects.id) as artifacts
     from projects order by id`,
  );
  return { build, projects };
}

async function query<Row extends pg.QueryResultRow>(dataDir: string, text: string): Promise<Row[]> {
  const [stack, account] = await Promise.all([readStack(dataDir), readAccount(dataDir)]);
  if (!stack || !account) throw new Error(`there is no stack in ${dataDir}`);
  const client = new pg.Client({ connectionString: databaseUrl(stack.ports.postgres, account) });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
