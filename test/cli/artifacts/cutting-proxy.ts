import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A way to a gateway that destroys the first connections after so many bytes in either direction, and counts them. */
export async function createCuttingProxy(gatewayUrl: string, cuts: { times: number; afterBytes: number }) {
  const { hostname, port } = new URL(gatewayUrl);
  const state = { cut: 0 };
  const server = createServer((client) => {
    const gateway = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      gateway.destroy();
    };
    let passed = 0;
    const pass = (from: Socket, to: Socket) => {
      from.on("error", end).on("close", end);
      from.on("data", (part) => {
        passed += part.length;
        if (passed <= cuts.afterBytes || state.cut >= cuts.times) {
          to.write(part);
          return;
        }
        state.cut++;
        end();
      });
    };
    pass(client, gateway);
    pass(gateway, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    [Symbol.dispose]: () => void server.close(),
  };
}
