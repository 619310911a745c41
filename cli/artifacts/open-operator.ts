type Flags = { data?: string; project: string };

/** What the operator's commands share: the gateway, and a line that tells how far it is. */
export async function openOperator(flags: Flags, path: string) {
  const { readConfig } = await import("../config.ts");
  const { attachOrStart } = await import("../supervisor/attach-or-start.ts");
  const { credentialOf } = await import("../credential-of.ts");
  const { createProgressLine } = await import("../progress-line.ts");
  const { operatorWork } = await import("./operator-work.ts");
  const config = { ...readConfig(flags), idleStopSeconds: 600 };
  const { apiUrl } = await attachOrStart(config);
  const token = await credentialOf(config.dataDir, flags.project);
  const line = createProgressLine(process.stderr);
  return (body: unknown, stepOf: (sofar: unknown) => string): Promise<unknown> =>
    operatorWork(
      { apiUrl, token },
      { path, body, onProgress: (sofar) => line.progress({ step: stepOf(sofar) }) },
    ).finally(line.end);
}
