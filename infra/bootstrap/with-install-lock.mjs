import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Beside this file and not in node_modules: npm ci empties that.
const lockFile = fileURLToPath(new URL(".installing", import.meta.url));
const recovering = lockFile + ".recovering";

/** Lets one bootstrap at a time install; the others wait, and take over from one that died. */
export async function withInstallLock(work) {
  let said = false;
  while (!taken(lockFile)) {
    if (!said) process.stderr.write("helixrun: another process is installing the dependencies, waiting …\n");
    said = true;
    removeIfStale();
    await new Promise((wake) => setTimeout(wake, 100));
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function taken(file) {
  try {
    const fd = openSync(file, "wx");
    writeSync(fd, String(process.pid));
    closeSync(fd);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

// Looked at and removed by one process at a time: else a slow one would remove the lock its faster sister has just taken.
function removeIfStale() {
  if (ageOf(recovering) > 5000) rmSync(recovering, { force: true });
  if (!taken(recovering)) return;
  if (isStale()) rmSync(lockFile, { force: true });
  rmSync(recovering, { force: true });
}

function isStale() {
  try {
    const pid = Number(readFileSync(lockFile, "utf8"));
    if (!pid) return ageOf(lockFile) > 5000; // created, but its owner died before writing its pid
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function ageOf(file) {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}
