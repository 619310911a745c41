import { z } from "zod";
import { createMcpCaller, type McpCaller } from "../callers/mcp-caller.ts";
import { importNew, replay, succeeded } from "../callers/tools.ts";
import { fillLedger } from "../filling/fill-ledger.ts";
import { median, shownTimes } from "../measure/quantile.ts";
import { race } from "../measure/race.ts";
import type { Row } from "../report.ts";
import { createLedger, type Ledger } from "../../ledger/ledger.ts";
import { ProjectId } from "../../toolpacks/contract/ids.ts";
import { type BenchStack, startStack } from "../stack.ts";
import type { Answer } from "../../toolpacks/contract/envelope.ts";

const [many, few] = [1_000_000, 1_000];
const known = 200;

/** The same calls on two stacks, one after the other: in one ledger are a million runs and artifacts, in the other a thousand. */
export async function growth(directories: { large: string; small: string }): Promise<Row[]> {
  await using large = await startStack(directories.large);
  await fillLedger(await large.ledgerUrl(), many);
  await using small = await startStack(directories.small);
  await fillLedger(await small.ledgerUrl(), few);
  const callers = { large: createMcpCaller(large), small: createMcpCaller(small) };
  await using ledgers = await opened(large, small);
  return [
    await rowOf("replay of artifact_get", 1.3, { samples: 1_000, warm: 200 }, callers, replayer),
    await rowOf("page of artifact_list, never asked for before", 1.5, { samples: 60, warm: 10 }, callers, pager()),
    rowOfTimes("the ledger's part in it", 1.5, await race({ samples: 500, warm: 50 }, ledgers.pages)),
    await rowOf("the same, of a rare type", undefined, { samples: 40, warm: 10 }, callers, rare({ type: "csv" })),
    await rowOf("the same, of a rare label", undefined, { samples: 40, warm: 10 }, callers, rare({ label: "rare" })),
    await rowOf("first run of artifact_import", undefined, { samples: 60, warm: 10 }, callers, importer),
    await rowOf("page of run_list", undefined, { samples: 200, warm: 20 }, callers, runLister({})),
    await rowOf(
      "the same, of failed runs",
      undefined,
      { samples: 40, warm: 10 },
      callers,
      runLister({ state: "failed" }),
    ),
  ];
}

type Caller = McpCaller<Answer>;
type Work = (call: Caller) => Promise<() => Promise<unknown>>;

async function rowOf(
  what: string,
  atMost: number | undefined,
  pace: { samples: number; warm: number },
  callers: { large: Caller; small: Caller },
  work: Work,
): Promise<Row> {
  const [large, small] = [await work(callers.large), await work(callers.small)];
  return rowOfTimes(what, atMost, await race(pace, { large, small }));
}

function rowOfTimes(what: string, atMost: number | undefined, times: (name: "large" | "small") => number[]): Row {
  return {
    what: `${what}, p50, with ${many.toLocaleString("en")} runs and artifacts`,
    measured: shownTimes(times("large")),
    yardstick: `with ${few.toLocaleString("en")}: ${shownTimes(times("small"))}`,
    figure: median(times("large")) / median(times("small")),
    unit: "x",
    ...(atMost !== undefined && { bar: { atMost } }),
  };
}

/** Of so many that each is met anywhere in the indexes, and none twice in a row. */
async function replayer(call: Caller) {
  const calls: { name: string; arguments: unknown }[] = [];
  for (let n = 0; n < known; n++) {
    const { artifact_id } = await importNew(call);
    succeeded(await call("artifact_get", { artifact_id }));
    calls.push({ name: "artifact_get", arguments: { artifact_id } });
  }
  let next = 0;
  return () => replay(call, calls[next++ % known] ?? { name: "", arguments: {} });
}

const Page = z.object({ artifacts: z.array(z.unknown()).min(1), next_cursor: z.string().nullable() });

/** Goes on from page to page: each is a run of its own. */
function pager(): Work {
  return async (call) => {
    let cursor: string | null = null;
    return async () => {
      const { output } = succeeded(await call("artifact_list", { limit: 5, ...(cursor !== null && { cursor }) }));
      cursor = Page.parse(output).next_cursor;
    };
  };
}

/** There is one such artifact: the list must not read all that came before it to learn that there are no more. */
function rare(filter: { type: string } | { label: string }): Work {
  return async (call) => {
    succeeded(await call("artifact_import", { content: "name,count\nalpha,1\nbeta,2\n", label: "rare" }));
    let limit = 1;
    return async () => {
      const { output } = succeeded(await call("artifact_list", { ...filter, limit: ++limit }));
      Page.parse(output);
    };
  };
}

/** A page as the tool reads it, without gateway and engine: what they cost would hide what it costs. */
async function opened(...[large, small]: [BenchStack, BenchStack]) {
  const ledgers = {
    large: createLedger({ url: await large.ledgerUrl() }),
    small: createLedger({ url: await small.ledgerUrl() }),
  };
  const page = (ledger: Ledger) => async () => {
    const asOf = await ledger.artifactBoundary(project, { logs: false });
    return ledger.listArtifacts({ project, asOf, before: null, limit: 50, logs: false });
  };
  return {
    pages: { large: page(ledgers.large), small: page(ledgers.small) },
    async [Symbol.asyncDispose]() {
      await Promise.all([ledgers.large.close(), ledgers.small.close()]);
    },
  };
}
const project = ProjectId.parse("default");

const importer: Work = async (call) => () => importNew(call);

const runLister =
  (filter: object): Work =>
  async (call) =>
  async () =>
    succeeded(await call("run_list", { ...filter, limit: 20 }));
