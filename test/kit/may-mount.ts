import { execFileSync } from "node:child_process";

/** Making a small disk takes the right to mount one: root, outside most containers. */
export function mayMount(): boolean {
  try {
    execFileSync("sh", ["-c", 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d" && rmdir "$d"'], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}
