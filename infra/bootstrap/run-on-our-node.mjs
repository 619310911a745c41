// Plain JavaScript for any Node >= 18. stdout belongs to the script (stdio MCP, --json): everything said here goes to stderr.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureInstalled } from "./ensure-installed.mjs";
import { root } from "./root.mjs";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Installs what is missing, then runs the script on the clone's own Node 24 and ends as it ends. */
export async function runOnOurNode([script, ...args]) {
  if (!script) fail("usage: node infra/bootstrap/run.mjs <script.ts> [arguments]");
  const node = await ensureInstalled().catch((error) => fail(error.message));
  const child = start(node, [resolve(root, script), ...args]);
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`could not start ${node}: ${error.message}`));
  child.on("exit", (code, signal) => endAs(code, signal));
}

function start(node, args) {
  const [command, ...rest] = tied([node, ...args]);
  return spawn(command, rest, {
    stdio: "inherit",
    env: { ...process.env, ...compileCache(), HELIXRUN_LAUNCHER: launcher() },
  });
}

// A killed bootstrap (npm ended by force) must not leave a stack behind that nobody can see: TERM lets it end in order.
function tied(command) {
  const setpriv = (process.env.PATH ?? "")
    .split(":")
    .map((dir) => join(dir, "setpriv"))
    .find((file) => existsSync(file));
  return setpriv && process.platform === "linux" ? [setpriv, "--pdeathsig", "TERM", "--", ...command] : command;
}

// The Node that a client configuration names: npm puts the clone's own first on PATH, but that one goes away with node_modules.
function launcher() {
  const candidates = [process.env.HELIXRUN_LAUNCHER, process.execPath, process.env.npm_node_execpath].filter(Boolean);
  return (
    candidates.find((file) => existsSync(file) && !realpathSync(file).startsWith(join(root, "node_modules"))) ??
    process.execPath
  );
}

// Keeps stripped and compiled TypeScript: measured 0.10 s less per Node start, and the stripper is not loaded into memory.
function compileCache() {
  if (process.env.NODE_COMPILE_CACHE || process.env.NODE_V8_COVERAGE) return {};
  return { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled") };
}

function endAs(code, signal) {
  if (!signal) process.exit(code ?? 1);
  for (const name of forwarded) process.removeAllListeners(name);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(1), 1000); // a signal that did not end us
}

function fail(message) {
  process.stderr.write(`helixrun: ${message}\n`);
  process.exit(1);
}
