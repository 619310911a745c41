import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { lockIsInstalled } from "./lock-is-installed.mjs";
import { installLocked } from "./install-locked.mjs";
import { ourNode } from "./our-node.mjs";
import { root } from "./root.mjs";
import { withInstallLock } from "./with-install-lock.mjs";

const modules = join(root, "node_modules");
const stampFile = join(modules, ".helixrun-installed.json");
const nodeBinary = join(modules, "node", "bin", "node");

/** Makes sure that the locked dependencies, Node 24 and the `helixrun` link are there; returns the path of that Node. */
export async function ensureInstalled() {
  const lockHash = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (!isStamped(lockHash)) await withInstallLock(() => install(lockHash));
  linkCommand();
  return nodeBinary;
}

function isStamped(lockHash) {
  const stamp = readJson(stampFile);
  return stamp?.lock === lockHash && stamp.host === host() && existsSync(nodeBinary);
}

async function install(lockHash) {
  if (isStamped(lockHash)) return; // another bootstrap did it while we waited
  // An install by hand (`npm install`, `npm ci`) that matches the lock is as good as ours.
  if (!lockIsInstalled(readJson(join(root, "package-lock.json")), readJson(join(modules, ".package-lock.json"))))
    await installLocked();
  const node = await ourNode(nodeBinary);
  writeFileSync(stampFile + ".new", JSON.stringify({ lock: lockHash, node, host: host() }));
  renameSync(stampFile + ".new", stampFile);
}

// `npx helixrun …` inside the clone finds this link at once.
function linkCommand() {
  const link = join(modules, ".bin", "helixrun");
  const target = "../../infra/bootstrap/helixrun.mjs";
  if (linkTarget(link) === target) return;
  mkdirSync(join(modules, ".bin"), { recursive: true });
  rmSync(link, { force: true });
  try {
    symlinkSync(target, link);
  } catch (error) {
    if (error.code !== "EEXIST") throw error; // another bootstrap was faster
  }
}

// Binaries in node_modules belong to one platform: a clone on a shared disk installs again where they differ.
const host = () => `${process.platform}-${process.arch}`;

function linkTarget(link) {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
