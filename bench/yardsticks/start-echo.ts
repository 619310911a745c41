import { z } from "zod";
import type { Door } from "../callers/mcp-caller.ts";
import { type Child, startChild } from "../child.ts";

const Hello = z.object({ port: z.int() });

/** Starts the echo in a process of its own. */
export async function startEcho(): Promise<{ child: Child; door: Door }> {
  const child = await startChild(new URL("./echo.ts", import.meta.url));
  const { port } = Hello.parse(child.hello);
  return { child, door: { mcpUrl: `http://127.0.0.1:${port}/mcp`, token: "" } };
}

export const echoCall = { name: "echo", arguments: { text: "acgt".repeat(15) } };
