import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { readConfig } from "../../cli/config.ts";
import { composeGateway } from "../../cli/compose/gateway.ts";
import { shippedTools } from "../../cli/compose/surroundings.ts";
import { composeWorker } from "../../cli/compose/worker.ts";
import type { Caller } from "../../gateway/admission/authenticate.ts";
import { newCredential } from "../../gateway/credentials.ts";
import { buildBundle, bundlePath } from "../../temporal/workflow-bundle.ts";
import type { Answer } from "../../toolpacks/contract/envelope.ts";
import { ActorId, ProjectId, type Sha256 } from "../../toolpacks/contract/ids.ts";
import type { ToolDefinition } from "../../toolpacks/contract/tool-definition.ts";
import { createDatabase, type TestDatabase } from "./database.ts";
import { requestOf, type Ask } from "./request.ts";

export type TestStack = AsyncDisposable & {
  database: TestDatabase;
  dataDir: string;
  inbox: string;
  taskQueue: string;
  faults: unknown[];
  token: string;
  fetch(request: Request): Promise<Response>;
  /** A gateway of its own over HTTP, on the same data: as after a restart. */
  openGateway(): Promise<AsyncDisposable & { url: string }>;
  activate(): Promise<{ changed: boolean }>;
  /** Calls a tool through the whole pipeline, as the local actor unless told otherwise. */
  call(tool: string, input: unknown, ask?: Ask & { project?: string }): Promise<Answer>;
  send(request: unknown, caller?: Partial<Caller>): Promise<Answer>;
  startWorker(): Promise<void>;
  stopWorker(): Promise<void>;
};

export type StackOptions = {
  tools?: ToolDefinition[];
  policy?: string;
  grants?: string;
  windowMs?: number;
  worker?: boolean;
  /** What was there before: a restored ledger and its blobs. */
  restored?: { database: TestDatabase; dataDir: string };
  /** The tools that ship, as another build. */
  build?: { version: string; digest: Sha256 };
};

/** Gateway and worker of this process, on a real ledger and a real engine, with a database and a task queue of their own. */
export async function createStack(options: StackOptions = {}): Promise<TestStack> {
  const database = options.restored?.database ?? (await createDatabase());
  const dataDir = options.restored?.dataDir ?? (await mkdtemp(join(tmpdir(), "helixrun-stack-")));
  const deploymentDir = join(dataDir, "deployment");
  const inbox = join(dataDir, "inbox");
  await Promise.all([deploymentDir, inbox].map((folder) => mkdir(folder)));
  if (options.policy) await writeFile(join(deploymentDir, "policy.yaml"), options.policy);
  if (options.grants) await writeFile(join(deploymentDir, "grants.yaml"), options.grants);
  const { token } = await newCredential(join(dataDir, "credentials"), {
    name: "local",
    actor: "local",
    project: "default",
  });

  const { cacheDir } = readConfig();
  const taskQueue = `test-${randomUUID()}`;
  const faults: unknown[] = [];
  const shipped = (await shippedTools()).map((tool) => ({ ...tool, ...options.build }));
  const tools = [...shipped, ...(options.tools ?? [])];
  const surroundings = { taskQueue, tools, onFault: (fault: unknown) => void faults.push(fault) };
  const config = {
    databaseUrl: database.url,
    temporalAddress: inject("temporalAddress"),
    dataDir,
    deploymentDir,
    cacheDir,
    port: 1,
    importRoots: [],
    environment: "dev" as const,
    variables: {},
    ...(options.windowMs !== undefined && { windowMs: options.windowMs }),
  };
  const { gateway, active, close } = await composeGateway(config, surroundings);
  const local: Caller = {
    actor: ActorId.parse("local"),
    project: ProjectId.parse("default"),
    scopes: active.grants().local?.scopes ?? [],
  };
  const worker = createWorkerSwitch(async () => composeWorker(config, await builtBundle(cacheDir), surroundings));
  if (options.worker !== false) await worker.start();

  return {
    database,
    dataDir,
    inbox,
    taskQueue,
    faults,
    token,
    fetch: async (request) => gateway.fetch(request),
    async openGateway() {
      const opened = await composeGateway(config, surroundings);
      const server = await opened.gateway.listen(0);
      const end = async () => {
        await server.close();
        await opened.close();
      };
      return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: end };
    },
    activate: () => active.activate(),
    call: (tool, input, ask = {}) =>
      gateway.admit(
        { ...local, ...(ask.project && { project: ProjectId.parse(ask.project) }) },
        requestOf(tool, input, ask),
      ),
    send: (request, caller = {}) => gateway.admit({ ...local, ...caller }, request),
    startWorker: worker.start,
    stopWorker: worker.stop,
    async [Symbol.asyncDispose]() {
      await worker.stop();
      await close();
      await database[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function builtBundle(cacheDir: string): Promise<string> {
  const path = await bundlePath(cacheDir);
  await buildBundle(path);
  return path;
}

function createWorkerSwitch(compose: () => ReturnType<typeof composeWorker>) {
  let running: { stop(): void; ended: Promise<void> } | undefined;
  return {
    async start() {
      const worker = await compose();
      running = { stop: worker.stop, ended: worker.run() };
    },
    async stop() {
      running?.stop();
      await running?.ended;
      running = undefined;
    },
  };
}
