import type { Command } from "commander";
import { dataOption } from "./options.ts";

const idleStopSeconds = 600;
const pingEveryMs = 60_000;

/** `helixrun mcp` */
export function registerMcp(program: Command): void {
  dataOption(program.command("mcp"))
    .description("serve MCP over stdio: attaches to the stack of the data directory, or starts one that ends when idle")
    .option("--dir <directory>", "deployment directory: policy.yaml, grants.yaml (HELIXRUN_DIR)")
    .option("--project <project>", "the project to work in", "default")
    .addHelpText(
      "after",
      '\nExample (in the configuration of an MCP client):\n  {"command": "npx", "args": ["helixrun", "mcp"]}',
    )
    .action(async (flags: { data?: string; dir?: string; project: string }) => {
      const { readConfig } = await import("./config.ts");
      const { attachOrStart } = await import("./supervisor/attach-or-start.ts");
      const { credentialOf } = await import("./credential-of.ts");
      const { runProxy } = await import("./stdio/proxy.ts");
      const config = { ...readConfig(flags), idleStopSeconds };
      const findGateway = async () => {
        const { mcpUrl, apiUrl } = await attachOrStart(config);
        return { mcpUrl, apiUrl, token: await credentialOf(config.dataDir, flags.project) };
      };
      const stopPinging = pingWhileHere(findGateway);
      await runProxy({ input: process.stdin, output: process.stdout, findGateway });
      stopPinging();
    });
}

/** A client that says nothing for a while is still a client: without this the stack would stop under it. */
function pingWhileHere(findGateway: () => Promise<{ apiUrl: string; token: string }>): () => void {
  const ping = async () => {
    const { apiUrl, token } = await findGateway();
    await fetch(`${apiUrl}/ping`, { headers: { authorization: `Bearer ${token}` } });
  };
  const timer = setInterval(() => void ping().catch(() => undefined), pingEveryMs);
  return () => clearInterval(timer);
}
