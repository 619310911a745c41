import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { type Installation, startInstallation } from "../kit/installation.ts";
import { type ClientKind, connectStdio } from "../mcp/clients.ts";
import { initialise, mcpCommand, request, startMcp } from "../mcp/stdio-process.ts";
import { eventually, helixrun, readyStack } from "./kit.ts";

describeWith("temporal", "helixrun mcp", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  function startProxy() {
    const proxy = startMcp(installation.dataDir);
    onTestFinished(() => void proxy.process.kill("SIGKILL"));
    return proxy;
  }

  /** A call that cannot end yet: the worker is stopped when it is sent, and its attempt is open when this resolves. */
  async function heldCall<T>(call: () => Promise<T>): Promise<{ answer: Promise<T> }> {
    await installation.signal("worker", "SIGSTOP");
    const answer = call();
    answer.catch(() => undefined); // whoever waits for it sees it
    await eventually(
      async () => (await installation.query("select 1 from attempts where ended_at is null")).length > 0,
    );
    return { answer };
  }

  describe.each<ClientKind>(["v1", "v2 auto", "v2 legacy"])("with a client of the library's %s", (kind) => {
    test("answers a call in whose middle the gateway was killed", async () => {
      await using client = await connectStdio(kind, mcpCommand(installation.dataDir));
      const { answer } = await heldCall(() =>
        client.call("artifact_import", { content: `over a killed gateway, ${kind}` }),
      );

      await installation.kill("gateway");
      await installation.signal("worker", "SIGCONT");

      expect(await answer).toMatchObject({ status: "success", output: { type: "text" } });
      expect(await client.call("artifact_import", { content: `after it, ${kind}` })).toMatchObject({
        status: "success",
      });
    });
  });

  test("starts the stack again when it was stopped or killed under its client, and answers what was asked", async () => {
    await using client = await connectStdio("v1", mcpCommand(installation.dataDir));
    const { answer } = await heldCall(() => client.call("artifact_import", { content: "over a killed stack" }));

    await installation.signal("supervisor", "SIGKILL");

    expect(await answer).toMatchObject({ status: "success" });
    await helixrun(["down", "--data", installation.dataDir]).ended;
    expect(await client.call("artifact_import", { content: "over a stopped stack" })).toMatchObject({
      status: "success",
    });
  });

  test("writes nothing but messages of the protocol, one answer to each request, whatever it is sent", async () => {
    const proxy = startProxy();

    proxy.send(initialise(1));
    await proxy.answerTo(1);
    proxy.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    proxy.send("this is not JSON");
    proxy.send("");
    proxy.send(request(2, "no/such/method"));
    proxy.send(request(3, "tools/call", { name: "artifact_import", arguments: { content: "x".repeat(2 << 20) } }));
    proxy.send(request(4, "tools/call", { name: "artifact_import", arguments: { id: 9, content: 5 } }));
    proxy.send(request(5, "tools/call", { name: "no_such_tool", arguments: {} }));
    proxy.send(request(6, "tools/list"));

    const answers = await Promise.all([null, 2, 3, 4, 5, 6].map((id) => proxy.answerTo(id)));
    expect(
      answers.map(({ error, result }) => error?.code ?? result?.structuredContent?.["status"] ?? "listed"),
    ).toEqual([-32700, -32601, -32000, "invalid_request", "invalid_request", "listed"]);
    expect(answers[2]?.error).toMatchObject({
      message: expect.stringContaining("too large"),
      data: { code: "I-REQ-003" },
    });
    proxy.process.stdin?.end();
    await proxy.ended;
    expect(proxy.messages().map(({ id, jsonrpc }) => ({ id, jsonrpc }))).toHaveLength(7);
    expect(proxy.messages().filter(({ jsonrpc }) => jsonrpc !== "2.0")).toEqual([]);
  });

  test("ends with 0 as soon as its client closes the connection, after the last answer, and the stack goes on", async () => {
    const proxy = startProxy();
    const { supervisor } = await readyStack(installation.dataDir);
    proxy.send(initialise(1));
    await proxy.answerTo(1);

    proxy.send(request(2, "tools/call", { name: "artifact_import", arguments: { content: "the last words" } }));
    proxy.process.stdin?.end();
    const begun = performance.now();

    expect(await proxy.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect((await proxy.answerTo(2)).result?.structuredContent).toMatchObject({ status: "success" });
    expect((await readyStack(installation.dataDir)).supervisor).toEqual(supervisor);
  });

  test("and when the stack is stopped, no process is left", async () => {
    expect(await installation.down()).toEqual([]);
  });
});
