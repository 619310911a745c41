import { request, type IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { CallResponse, PendingResponse, type Answer } from "../../toolpacks/contract/envelope.ts";
import { complaint, exitCodes } from "../complaint.ts";

type Sent = {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Readable;
  /** For what tidies up after the user has stopped the rest. */
  evenIfStopped?: boolean;
};
type Gateway = { apiUrl: string; token: string; stop?: AbortSignal };

/** The gateway's plain HTTP face, for bytes in and out. */
export type TransferDoor = { send(sent: Sent): Promise<IncomingMessage> };

const silentMs = 120_000; // a blob that changed is hashed before its first byte comes

export function createTransferDoor({ apiUrl, token, stop }: Gateway): TransferDoor {
  return {
    send({ method, path, headers = {}, body, evenIfStopped = false }) {
      const signal = evenIfStopped ? undefined : stop;
      if (signal?.aborted) return Promise.reject(stopped());
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const options = { method, headers: { authorization: `Bearer ${token}`, ...headers } };
      const asked = request(`${apiUrl}${path}`, options, (answer) => {
        body?.destroy(); // an answer before the end is a refusal of the rest
        resolve(answer);
      });
      const giveUp = () => asked.destroy(stopped());
      signal?.addEventListener("abort", giveUp);
      asked.on("close", () => signal?.removeEventListener("abort", giveUp));
      asked.setTimeout(silentMs, () => asked.destroy(new Error("the gateway is silent")));
      asked.on("error", (error) => {
        body?.destroy();
        reject(error);
      });
      if (!body) asked.end();
      else body.on("error", (error) => asked.destroy(error)).pipe(asked);
      return promise;
    },
  };
}

const stopped = () => complaint("stopped.", exitCodes.stopped);

const AnyAnswer = z.union([CallResponse, PendingResponse]);

/** The envelope that the gateway answered with. */
export async function answerIn(message: IncomingMessage): Promise<Answer> {
  const said = await text(message);
  const answer = AnyAnswer.safeParse(parsed(said));
  if (answer.success) return answer.data;
  throw complaint(`the gateway did not answer as expected (${message.statusCode}): ${said.slice(0, 1_000)}`);
}

export async function jsonIn<T>(schema: z.ZodType<T>, message: IncomingMessage): Promise<T> {
  return schema.parse(parsed(await text(message)));
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}
