import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { type Installation, startInstallation } from "../kit/installation.ts";

describeWith("temporal", "what the HTTP door refuses", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  /** One request as it stands on the wire: what no client library would send can be sent here. */
  function post(body: string, headers: Record<string, string> = {}): Promise<Response> {
    const { mcpUrl, token } = installation.gateway;
    const common = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": "2025-11-25",
    };
    return fetch(mcpUrl, { method: "POST", body, headers: { ...common, ...headers } });
  }

  const importing = (input: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"artifact_import","arguments":${input}}}`;

  /** One call after the other, so that they share a connection. */
  async function statusesInTurn(contents: string[]): Promise<string[]> {
    const statuses: string[] = [];
    for (const content of contents)
      statuses.push((await answerIn(await post(importing(JSON.stringify({ content }))))).status);
    return statuses;
  }

  const callsSoFar = async () => (await installation.query<{ count: string }>("select count(*) from calls"))[0]?.count;

  test.each([
    { who: "a token that nobody has", headers: { authorization: `Bearer hx_${randomUUID()}` } },
    { who: "no token", headers: { authorization: "" } },
    { who: "another scheme", headers: { authorization: "Basic bG9jYWw6" } },
  ])("$who gets 401 and is told to bring a bearer token, and nothing is recorded", async ({ headers }) => {
    const before = await callsSoFar();

    const response = await post(importing('{"content":"x"}'), headers);

    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(await response.json()).toMatchObject({ error: { code: "A-AUTH-001" } });
    expect(await callsSoFar()).toBe(before);
  });

  test.each(["https://evil.example", "http://127.0.0.1.evil.example", "null"])(
    "a web page from %s gets 403, though it has the token",
    async (origin) => {
      expect((await post(importing('{"content":"x"}'), { origin })).status).toBe(403);
    },
  );

  test("a page of this machine is served", async () => {
    const response = await post(importing('{"content":"x"}'), { origin: "http://localhost:3000" });

    expect(await answerIn(response)).toMatchObject({ status: "success" });
  });

  test("a body over 1 MiB gets 413 and says so in our words, and the calls after it are served", async () => {
    const response = await post(importing(JSON.stringify({ content: "x".repeat(1 << 20) })));

    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "I-REQ-003" } });
    expect(await statusesInTurn(["1", "2", "3", "4", "5", "6"])).toEqual(Array(6).fill("success"));
  });

  test.each([
    {
      what: "a number beyond 2^53-1",
      input: '{"content":"x","max":9007199254740993}',
      pointer: "/params/arguments/max",
    },
    { what: "a key given twice", input: '{"content":"x","content":"y"}', pointer: "/params/arguments/content" },
    {
      what: "a number that a double cannot hold",
      input: '{"content":"x","max":0.10000000000000000001}',
      pointer: "/params/arguments/max",
    },
    { what: "a lone surrogate", input: '{"content":"\\ud800"}', pointer: "/params/arguments/content" },
  ])(
    "$what in the arguments is an invalid request that names the place, not a guess (C44, C48)",
    async ({ input, pointer }) => {
      const response = await post(importing(input));

      expect(response.status).toBe(200);
      const answer = await answerIn(response);
      expect(answer).toMatchObject({ status: "invalid_request", run_id: null, error: { code: "I-REQ-001" } });
      expect(answer.error.details.violations.map((violation) => violation.pointer)).toContain(pointer);
    },
  );

  test("what is not JSON gets the protocol's parse error", async () => {
    const response = await post("{not json");

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32700 } });
  });

  test("anyone on this machine may ask whether the gateway is well", async () => {
    const response = await fetch(`${installation.gateway.apiUrl}/healthz`);

    expect(await response.json()).toMatchObject({ status: "ok", open_attempts: 0 });
  });
});

type Refused = {
  status: string;
  run_id: null;
  error: { code: string; details: { violations: { pointer: string }[] } };
};

/** The envelope in a reply, which comes as JSON or as a single event. */
async function answerIn(response: Response): Promise<Refused> {
  const text = await response.text();
  const json = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}");
  return (JSON.parse(json) as { result: { structuredContent: Refused } }).result.structuredContent;
}
