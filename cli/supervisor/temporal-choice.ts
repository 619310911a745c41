import type { Config } from "../config.ts";
import type { Leash } from "./leash.ts";
import type { Ports } from "./ports.ts";
import type { Service } from "./service.ts";
import { temporalService } from "./services.ts";
import type { Talk } from "./talk.ts";

export type TemporalChoice = { address: string; uiUrl: string | null; service: Service | undefined };

/** The user's own server, or the dev server as a service of ours. */
export async function chooseTemporal(
  config: Config,
  ports: Ports,
  { tie, signal }: Leash,
  { say, progress }: Talk,
): Promise<TemporalChoice> {
  const { resolveTemporal } = await import("../../temporal/server/resolve.ts");
  const { cacheDir, searchPath, temporalAddress: address } = config;
  const { server, way, where } = await resolveTemporal({ address, cacheDir, searchPath, say, progress, tie, signal });
  say(`  temporal   ${way}: ${where}`);
  if (server.kind === "address") return { address: server.address, uiUrl: null, service: undefined };

  const { createDevServer } = await import("../../temporal/server/dev-server.ts");
  const devServer = createDevServer({
    ...server,
    dataDir: config.dataDir,
    port: ports.temporal,
    uiPort: ports.temporalUi,
  });
  return {
    address: devServer.address,
    uiUrl: `http://127.0.0.1:${ports.temporalUi}`,
    service: temporalService(devServer, config.environment),
  };
}
