/** Whether npm's record of node_modules holds exactly what package-lock.json asks for (packages of other platforms may be absent). */
export function lockIsInstalled(lock, installed) {
  if (!lock?.packages || !installed?.packages) return false;
  const wanted = Object.entries(lock.packages).filter(([path]) => path !== "");
  const missing = wanted.filter(([path, entry]) => installed.packages[path]?.version !== entry.version);
  const foreign = Object.keys(installed.packages).filter((path) => !lock.packages[path]);
  return foreign.length === 0 && missing.every(([path, entry]) => isOptional(entry) && !installed.packages[path]);
}

const isOptional = (entry) => Boolean(entry.optional || entry.devOptional);
