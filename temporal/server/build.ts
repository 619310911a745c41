import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { intoCache } from "./into-cache.ts";
import { programOn } from "./on-path.ts";
import { reasonOf } from "./reason-of.ts";
import { ownVersion } from "./version.ts";
import type { Way } from "./way.ts";

const moduleDir = fileURLToPath(new URL("../../infra/temporal-cli", import.meta.url));
const mainPackage = "github.com/temporalio/cli/cmd/temporal";
const versionVariable = "github.com/temporalio/cli/internal/temporalcli.Version";
const doneWithin = 30 * 60_000;

/** From Go modules with a go.mod of our own: about five minutes on two cores, once. */
export const build: Way = {
  name: "build from Go modules",
  slow: true,
  async find({ cacheDir, searchPath, progress, tie, signal }) {
    const go = await programOn(searchPath, "go");
    if (!go) return { missed: "no `go` on PATH", fix: "install Go 1.21 or newer (https://go.dev/dl)" };
    const begun = Date.now();
    const ticker = setInterval(
      () => progress(`building the Temporal CLI ${ownVersion} (about 5 minutes, once): ${elapsed(begun)}`),
      1000,
    );
    try {
      const { executable, version } = await intoCache(cacheDir, (directory) =>
        goBuild(tie([go, ...buildArguments(join(directory, "temporal"))]), signal),
      );
      return { found: { kind: "program", executable, version }, where: `${executable}, built in ${elapsed(begun)}` };
    } catch (error) {
      return {
        missed: `go build failed: ${reasonOf(error)}`,
        fix: "let Go reach its module proxy (go env GOPROXY)",
      };
    } finally {
      clearInterval(ticker);
    }
  },
};

/** `go install …@version` would refuse: that module has a replace line. */
export const buildArguments = (output: string): string[] => [
  ...["build", "-trimpath", "-buildvcs=false", "-ldflags", `-s -w -X ${versionVariable}=${ownVersion}`],
  ...["-o", output, mainPackage],
];

function goBuild([program = "", ...args]: string[], signal: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      cwd: moduleDir,
      stdio: ["ignore", "ignore", "pipe"],
      timeout: doneWithin,
      signal,
    });
    let said = "";
    child.stderr.on("data", (chunk) => (said = (said + chunk).slice(-2000)));
    child.on("error", failed);
    child.on("close", (code) => (code === 0 ? done() : failed(new Error(said.trim() || `exit ${code}`))));
  });
}

function elapsed(since: number): string {
  const seconds = Math.round((Date.now() - since) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
