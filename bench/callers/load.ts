import { pump } from "../measure/pump.ts";
import { createMcpCaller, type Door } from "./mcp-caller.ts";

/** An order to the load process: the same call, again and again. */
export type Load = { door: Door; name: string; arguments: unknown; forMs: number; callers: number };

// The load process: what it costs to ask is not taken from the process that measures, nor from the one that answers.
process.on("disconnect", () => process.exit(0));
process.on("message", (load: Load) => {
  const call = createMcpCaller<unknown>(load.door);
  pump(load, load.callers, () => call(load.name, load.arguments)).then(
    (pumped) => process.send?.(pumped),
    (error: unknown) => process.send?.({ fault: String(error) }),
  );
});
process.send?.({ ready: true });
