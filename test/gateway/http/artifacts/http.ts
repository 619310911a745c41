import { createHash } from "node:crypto";
import { request, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";

export type Reply = { status: number; headers: IncomingHttpHeaders; body: Buffer; json(): unknown };
export type Imported = { artifact_id: string; sha256: string; bytes: number; type: string; label: string };

/** A client of a gateway's plain HTTP face, as any program would be one. */
export function createHttp(url: string, token: string) {
  const headersWith = (own: Record<string, string>) => ({ authorization: `Bearer ${token}`, ...own });

  async function ask(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Buffer,
  ): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const asked = request(`${url}${path}`, { method, headers: headersWith(headers) }, (answer) => {
      buffer(answer).then(
        (bytes) =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: bytes,
            json: () => JSON.parse(bytes.toString()) as unknown,
          }),
        reject,
      );
    });
    asked.on("error", reject);
    asked.end(body);
    return promise;
  }

  /** Says that `promised` bytes come, sends some of them, waits until they have `arrived`, and destroys the connection. */
  async function cut(
    [method, path, headers]: [string, string, Record<string, string>],
    { sent, promised, arrived }: { sent: Buffer; promised: number; arrived(): Promise<void> },
  ): Promise<void> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const lines = Object.entries(headersWith({ ...headers, host: hostname, "content-length": String(promised) }));
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    socket.write(sent);
    await arrived();
    socket.destroy();
  }
  return { ask, cut };
}

export const sha256Of = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
export const digestOf = (content: string | Buffer) =>
  `sha-256=:${createHash("sha256").update(content).digest("base64")}:`;

export function outputOf(answer: unknown): Imported {
  const { status, output } = answer as { status: string; output: Imported };
  if (status !== "success") throw new Error(JSON.stringify(answer));
  return output;
}

export const errorOf = (reply: Reply) => (reply.json() as { error: { code: string; details: object } }).error;
