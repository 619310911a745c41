import { spawn } from "node:child_process";
import type { Owner } from "./owner.ts";

/** Whether that account can really come to the directory: asked of the kernel, as modes do not tell of ACLs and mounts. */
export function canReach(owner: Owner | undefined, directory: string): Promise<boolean> {
  if (!owner) return Promise.resolve(true);
  return new Promise((done) => {
    const probe = spawn("test", ["-x", directory], { uid: owner.uid, gid: owner.gid, cwd: "/", stdio: "ignore" });
    probe.on("error", () => done(false));
    probe.on("exit", (code) => done(code === 0));
  });
}
