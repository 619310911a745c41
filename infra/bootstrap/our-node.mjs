import { execFileSync, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";

/** Makes sure the clone's own Node is version 24 and returns its exact version. */
export function ourNode(binary) {
  const version = versionOf(binary) ?? afterItsInstallScript(binary);
  if (version?.startsWith("v24.")) return version;
  throw new Error(
    `the npm package "node" gave ${version ?? "no working Node"} instead of Node 24.\n` +
      "Fix: remove node_modules and start again; if npm was told to ignore scripts, the registry must be reachable.",
  );
}

// npm leaves out install scripts when told to (`ignore-scripts`, or allowScripts not understood): then we take that step.
function afterItsInstallScript(binary) {
  const packageDir = join(dirname(binary), "..");
  process.stderr.write("helixrun: fetching Node 24 from the npm registry …\n");
  spawnSync(process.execPath, ["installArchSpecificPackage.js"], {
    cwd: packageDir,
    stdio: ["ignore", 2, 2],
    env: withScripts(),
  });
  return versionOf(binary);
}

const withScripts = () => ({ ...process.env, npm_config_ignore_scripts: "false", npm_config_loglevel: "error" });

function versionOf(binary) {
  try {
    return execFileSync(binary, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
