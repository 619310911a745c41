import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { liveStack } from "../../cli/supervisor/stack-file.ts";
import { eventually, helixrun } from "../cli/kit.ts";
import { describeWith } from "../kit/component.ts";
import { emptyDataDirectory, processesIn, removeDataDirectory } from "../kit/installation.ts";
import { type ClientKind, connectStdio, type McpClient } from "../mcp/clients.ts";
import { mcpCommand } from "../mcp/stdio-process.ts";

// Not "v2 auto": it starts a second process to find out the protocol, and that one may be the first of all, and gone.
const kinds: ClientKind[] = ["v1", "v2 legacy", "v1", "v2 legacy", "v1"];

const leavings: { how: string; leave(client: McpClient): unknown }[] = [
  { how: "leaves", leave: (client) => client[Symbol.asyncDispose]() },
  { how: "is killed with -9", leave: (client) => process.kill(client.pid(), "SIGKILL") },
];

describeWith("temporal", "five `helixrun mcp` on an empty data directory at the same moment", () => {
  test.each(leavings)("share one stack, and go on undisturbed when the one that started it $how", async ({ leave }) => {
    const dataDir = await emptyDataDirectory();
    onTestFinished(() => removeDataDirectory(dataDir));

    const clients = await Promise.all(kinds.map((kind) => connectStdio(kind, mcpCommand(dataDir))));
    onTestFinished(async () => void (await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()))));

    expect(await Promise.all(clients.map((client) => client.listTools()))).toHaveLength(5);
    expect(await importsOf(clients, "together")).toEqual(Array(5).fill("success"));
    const stack = await liveStack(dataDir);
    const starter = clients.find((client) => client.pid() === parentOf(stack?.supervisor.pid ?? 0));
    const others = clients.filter((client) => client !== starter);
    expect(others).toHaveLength(4);
    await eventually(() => supervisorsIn(dataDir).length === 1); // the others' attempts to start one have left by now

    await leave(starter as McpClient);

    await eventually(() => processesIn(dataDir).every((line) => !line.startsWith(`${starter?.pid()} `)));
    expect(await importsOf(others, "alone")).toEqual(Array(4).fill("success"));
    expect(await liveStack(dataDir)).toMatchObject({ supervisor: stack?.supervisor, services: stack?.services });
    await Promise.all(others.map((client) => client[Symbol.asyncDispose]()));
    await helixrun(["down", "--data", dataDir]).ended;
    expect(processesIn(dataDir)).toEqual([]);
  });
});

async function importsOf(clients: McpClient[], word: string): Promise<string[]> {
  const answers = await Promise.all(
    clients.map((client, n) => client.call("artifact_import", { content: `${word} ${n}` })),
  );
  return answers.map(({ status }) => status);
}

const supervisorsIn = (dataDir: string): string[] =>
  processesIn(dataDir).filter((line) => line.includes(" up --detached "));

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}
