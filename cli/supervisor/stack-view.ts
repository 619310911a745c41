import type { Config } from "../config.ts";
import type { Child } from "./child.ts";
import { inboxOf } from "./data-directory.ts";
import { identityOf } from "./process-identity.ts";
import type { Stack } from "./stack-file.ts";

/** What changes while the stack lives, besides its children. */
export type Shown = Pick<Stack, "status" | "step" | "ports" | "temporalAddress" | "temporalUiUrl">;

/** How the stack of this process looks to others at any moment. */
export function createStackView({ dataDir, deploymentDir }: Config, children: readonly Child[]) {
  const supervisor = identityOf(process.pid) ?? { pid: process.pid, startTime: "" };
  const startedAt = new Date().toISOString();

  return function stackOf(shown: Shown): Stack {
    const apiUrl = `http://127.0.0.1:${shown.ports.gateway}`;
    return {
      ...shown,
      supervisor,
      services: Object.fromEntries(children.map((child) => [child.service.name, entryOf(child)])),
      mcpUrl: `${apiUrl}/mcp`,
      apiUrl,
      dataDir,
      inboxDir: inboxOf(dataDir),
      deploymentDir,
      startedAt,
    };
  };
}

const entryOf = (child: Child) => ({
  process: child.state() === "ended" ? null : (child.identity() ?? null),
  state: child.state(),
  restarts: child.restarts(),
  log: child.log,
});
