import { createMcpCaller } from "../callers/mcp-caller.ts";
import { replay, replays } from "../callers/tools.ts";
import { median, shownTimes } from "../measure/quantile.ts";
import { race } from "../measure/race.ts";
import type { Row } from "../report.ts";
import type { BenchStack } from "../stack.ts";
import { echoCall, startEcho } from "../yardsticks/start-echo.ts";

/** One caller asks for what the ledger has already, next to an echo tool on the same library. */
export async function replayAlone(stack: BenchStack): Promise<Row[]> {
  const { child, door } = await startEcho();
  await using _echo = child;
  const echo = createMcpCaller<{ text: string }>(door);
  const gateway = createMcpCaller(stack);
  const known = await replays(gateway);
  const times = await race(
    { samples: 500, warm: 300 },
    {
      echo: () => echo(echoCall.name, echoCall.arguments),
      get: () => replay(gateway, known.get),
      import: () => replay(gateway, known.import),
    },
  );
  const row = (what: string, of: number[]) => ({
    what,
    measured: shownTimes(of),
    yardstick: `echo ${shownTimes(times("echo"))}`,
    figure: median(of) / median(times("echo")),
    unit: "x" as const,
  });
  return [
    { ...row("replay of artifact_get, p50", times("get")), bar: { atMost: 1.5 } },
    row("replay of artifact_import, 237 bytes inline, p50", times("import")),
  ];
}
