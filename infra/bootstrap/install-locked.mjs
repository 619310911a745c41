import { spawn } from "node:child_process";
import { root } from "./root.mjs";

const quietly = ["--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];

/** Installs the locked dependencies, in one line on stderr. */
export async function installLocked() {
  const begun = Date.now();
  process.stderr.write("helixrun: installing dependencies (npm ci) …");
  const { code, output } = await install();
  process.stderr.write(code === 0 ? ` done in ${((Date.now() - begun) / 1000).toFixed(1)} s\n` : " failed\n");
  if (code !== 0)
    throw new Error(`npm could not install the dependencies in ${root}\n${endOf(output)}\n${fixOf(output)}`);
}

async function install() {
  const strict = await npm(["ci", ...quietly]);
  return lacksOnlyUnknown(strict.output) ? npm(["install", "--no-save", ...quietly]) : strict;
}

/**
 * A registry that does not know the packages of some other platform leaves them without a version in the lock, and `npm ci` then calls
 * the lock out of date. `npm install --no-save` takes the same lock, leaves it as it is and passes over them.
 */
export function lacksOnlyUnknown(output) {
  const missing = output.split("\n").filter((line) => /(Missing|Invalid): /.test(line));
  return missing.length > 0 && missing.every((line) => /Missing: \S+@ from lock file/.test(line));
}

function npm(args) {
  return new Promise((done, failed) => {
    let output = "";
    const child = spawn("npm", args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.on("error", (error) =>
      failed(
        new Error(`npm could not be started (${error.message}). Fix: install Node.js with npm and put both on PATH.`),
      ),
    );
    child.on("close", (code) => done({ code, output }));
  });
}

// npm repeats its whole usage after some errors.
const endOf = (output) =>
  output
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "npm error")
    .slice(0, 15)
    .join("\n");

function fixOf(output) {
  if (/EUSAGE|in sync/.test(output))
    return "Fix: package.json and package-lock.json disagree; run `npm install` and commit the lock.";
  if (/EACCES|EPERM|EROFS/.test(output)) return `Fix: make ${root} writable for this user.`;
  if (/ENOSPC/.test(output)) return "Fix: free some disk space.";
  if (/ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|network/i.test(output))
    return "Fix: check the network or `npm config get registry`, then start again.";
  return "Fix: run `npm ci` by hand to see all of it, then start again.";
}
