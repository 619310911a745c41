import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createMcpCaller } from "../callers/mcp-caller.ts";
import { replays } from "../callers/tools.ts";
import { median, shownTimes } from "../measure/quantile.ts";
import { race } from "../measure/race.ts";
import type { Row } from "../report.ts";
import type { BenchStack } from "../stack.ts";

const command = fileURLToPath(new URL("../../infra/bootstrap/helixrun.mjs", import.meta.url));

/** An ordinary client over `helixrun mcp`; the same client straight over HTTP shows what the proxy adds. */
export async function stdioProxy({ mcpUrl, token, dataDir }: BenchStack): Promise<Row[]> {
  const { get } = await replays(createMcpCaller({ mcpUrl, token }));
  const stdio = await connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [command, "mcp", "--data", dataDir],
      cwd: tmpdir(),
      stderr: "ignore",
    }),
  );
  const headers = { authorization: `Bearer ${token}` };
  const http = await connected(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }));
  try {
    const times = await race(
      { samples: 300, warm: 200 },
      { http: () => http.callTool(get), stdio: () => stdio.callTool(get) },
    );
    return [
      {
        what: "replay of artifact_get over the stdio proxy, v2 client, p50",
        measured: shownTimes(times("stdio")),
        yardstick: `the same client over HTTP ${shownTimes(times("http"))}`,
        figure: median(times("stdio")),
        unit: "ms",
        bar: { atMost: 4 },
      },
    ];
  } finally {
    await Promise.all([stdio.close(), http.close()]);
  }
}

async function connected(transport: Parameters<Client["connect"]>[0]): Promise<Client> {
  const client = new Client({ name: "bench", version: "0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  await client.listTools(); // as clients do: from now on they validate each answer against its schema
  return client;
}
