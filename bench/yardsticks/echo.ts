import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

// The yardstick of a replay: a process that echoes, written the way the library's own guide does it.
const shape = z.object({ text: z.string() });

const handle = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: "echo", version: "0.0.0" });
    const config = { description: "Gives back what it gets.", inputSchema: shape, outputSchema: shape };
    server.registerTool("echo", config, ({ text }) => ({
      content: [{ type: "text", text }],
      structuredContent: { text },
    }));
    return server;
  }),
);

process.on("disconnect", () => process.exit(0));
const server = createServer((request, response) => {
  const { method = "", url = "" } = request; // never absent in a request; the library's type wants to be told
  void handle(Object.assign(request, { method, url }), response);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : undefined });
});
