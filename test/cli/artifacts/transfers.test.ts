import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { getArtifact } from "../../../cli/artifacts/get-artifact.ts";
import { importPath } from "../../../cli/artifacts/import-paths.ts";
import { createTransferDoor } from "../../../cli/artifacts/transfer-door.ts";
import { manifestBytesOf, type TreeFile } from "../../../toolpacks/contract/tree.ts";
import { outputOf, sha256Of } from "../../gateway/http/artifacts/http.ts";
import { createStack, type TestStack } from "../../kit/stack.ts";
import { createCuttingProxy } from "./cutting-proxy.ts";

let stack: TestStack;
let gateway: Awaited<ReturnType<TestStack["openGateway"]>>;
let folder: string;

beforeAll(async () => {
  stack = await createStack();
  gateway = await stack.openGateway();
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "helixrun-transfers-"));
  return () => rm(folder, { recursive: true, force: true });
});

const seen: number[] = [];
const progress = ({ done }: { done: number }) => void seen.push(done);
const doorTo = (apiUrl: string) => createTransferDoor({ apiUrl, token: stack.token });
const depsTo = (apiUrl: string) => ({
  door: doorTo(apiUrl),
  call: (tool: string, input: unknown) => stack.call(tool, input),
  progress,
});
async function written(name: string, content: Buffer | string) {
  await mkdir(join(folder, name, ".."), { recursive: true });
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

test("an import goes on where it was when its connection is cut, again and again", async () => {
  const content = randomBytes(20_000_000);
  const path = await written("large.bin", content);
  using proxy = await createCuttingProxy(gateway.url, { times: 4, afterBytes: 3_000_000 });

  const answer = await importPath(depsTo(proxy.url), path, { label: "cut" });

  expect(proxy.state.cut).toBe(4);
  expect(outputOf(answer)).toMatchObject({ sha256: sha256Of(content), bytes: 20_000_000, label: "cut" });
  expect(seen.at(-1)).toBe(20_000_000);
  expect(await readdir(join(stack.dataDir, "uploads"))).toEqual([]);
});

test("a small file is sent again when its connection is cut", async () => {
  const path = await written("small.txt", "a".repeat(1_000_000));
  using proxy = await createCuttingProxy(gateway.url, { times: 2, afterBytes: 500_000 });

  const answer = await importPath(depsTo(proxy.url), path, {});

  expect(proxy.state.cut).toBe(2);
  expect(outputOf(answer)).toMatchObject({ bytes: 1_000_000 });
});

test("a download goes on where it was, and is there under its name only when it is whole", async () => {
  const content = randomBytes(10_000_000);
  const { artifact_id: id } = outputOf(await importPath(depsTo(gateway.url), await written("out.bin", content), {}));
  using proxy = await createCuttingProxy(gateway.url, { times: 3, afterBytes: 2_000_000 });

  const got = await getArtifact(depsTo(proxy.url), id, join(folder, "back.bin"));

  expect(proxy.state.cut).toBe(3);
  expect(got).toMatchObject({ artifact_id: id, path: join(folder, "back.bin") });
  expect(sha256Of(await readFile(got.path))).toBe(sha256Of(content));
  expect((await readdir(folder)).toSorted()).toEqual(["back.bin", "out.bin"]);
});

test.each([
  { what: "the start of it", part: (content: Buffer) => content.subarray(0, 40_000) },
  { what: "all of it", part: (content: Buffer) => content },
  { what: "something else", part: () => randomBytes(40_000) },
  { what: "more than all of it", part: () => randomBytes(140_000) },
])("an earlier download that left $what is made good use of, or none", async ({ part }) => {
  const content = randomBytes(100_000);
  const { artifact_id: id } = outputOf(await importPath(depsTo(gateway.url), await written("a", content), {}));
  await written("b.part", part(content));

  await getArtifact(depsTo(gateway.url), id, join(folder, "b"));

  expect(sha256Of(await readFile(join(folder, "b")))).toBe(sha256Of(content));
  expect((await readdir(folder)).toSorted()).toEqual(["a", "b"]);
});

test("a folder becomes a tree, and comes back as it was (A39)", async () => {
  const files = {
    "src/a.txt": "a",
    "src/deep/er/b.bin": randomBytes(5_000_000),
    "src/deep/ä ö.txt": "",
    "src/a.txt.part": "p",
  };
  for (const [name, content] of Object.entries(files)) await written(name, content);

  const tree = outputOf(await importPath(depsTo(gateway.url), join(folder, "src"), { label: "all" }));
  const again = outputOf(await importPath(depsTo(gateway.url), join(folder, "src"), { label: "all" }));
  const { path } = await getArtifact(depsTo(gateway.url), tree.artifact_id, join(folder, "back"));

  expect(again.artifact_id).toBe(tree.artifact_id);
  for (const [name, content] of Object.entries(files))
    expect(sha256Of(await readFile(join(path, name.slice("src/".length))))).toBe(sha256Of(content));
  expect((await readdir(folder)).toSorted()).toEqual(["back", "src"]);
});

test.each([
  {
    what: "a link",
    name: "src/link",
    make: (path: string) => symlink("/etc/passwd", path),
    says: "not a regular file",
  },
  {
    what: "a name with a control character",
    name: "src/a\nb",
    make: (path: string) => writeFile(path, ""),
    says: "invisible",
  },
])("a folder with $what is refused before anything is sent", async ({ name, make, says }) => {
  await written("src/fine", "fine");
  await make(join(folder, name));

  await expect(importPath(depsTo("http://127.0.0.1:1"), join(folder, "src"), {})).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(says),
  });
});

test("a tree is never written over something, nor through a link that leads out of its folder", async () => {
  await written("src/in/a", "inside");
  const { artifact_id: id, sha256 } = await treeOf(join(folder, "src"));
  await mkdir(join(folder, "there"));
  await mkdir(join(folder, "outside"));
  await mkdir(join(folder, `back.${sha256.slice(0, 12)}.part`));
  await symlink(join(folder, "outside"), join(folder, `back.${sha256.slice(0, 12)}.part`, "in"));
  await written("taken", "taken");

  const over = getArtifact(depsTo(gateway.url), id, join(folder, "taken"));
  await expect(over).rejects.toMatchObject({ exitCode: 2 });
  const through = getArtifact(depsTo(gateway.url), id, join(folder, "back"));
  await expect(through).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("leads out") });
  const into = await getArtifact(depsTo(gateway.url), id, join(folder, "there"));

  expect(into.path).toBe(join(folder, "there", id));
  expect(await readFile(join(folder, "taken"), "utf8")).toBe("taken");
  expect(await readdir(join(folder, "outside"))).toEqual([]);
});

test.each(["../escaped", "/etc/escaped", "a/../../escaped", ""])(
  "a manifest with the path %j is not written at all",
  async (path) => {
    await written("src/a", "a");
    const { artifact_id: id } = await treeOf(join(folder, "src"));
    const files = [{ path, sha256: sha256Of("a"), bytes: 1 }] as TreeFile[];
    const honest = doorTo(gateway.url);
    const door = {
      send: async (sent: Parameters<typeof honest.send>[0]) => {
        const reply = await honest.send(sent);
        if (!sent.path.endsWith("/content")) return reply;
        reply.destroy();
        return Object.assign(new Blob([manifestBytesOf(files)]).stream(), {
          statusCode: 200,
        }) as unknown as typeof reply;
      },
    };

    await expect(getArtifact({ door, progress }, id, join(folder, "back"))).rejects.toMatchObject({ exitCode: 4 });
    expect((await readdir(folder)).toSorted()).toEqual(["src"]);
  },
);

async function treeOf(path: string) {
  const { artifact_id } = outputOf(await importPath(depsTo(gateway.url), path, {}));
  const { output } = (await stack.call("artifact_get", { artifact_id })) as unknown as { output: { sha256: string } };
  return { artifact_id, sha256: output.sha256 };
}

test("an import that is stopped, or refused at its end, leaves nothing with the gateway", async () => {
  const path = await written("large.bin", randomBytes(20_000_000));
  const stopping = new AbortController();
  const door = createTransferDoor({ apiUrl: gateway.url, token: stack.token, stop: stopping.signal });
  const stopped = { ...depsTo(gateway.url), door, progress: () => stopping.abort() };

  await expect(importPath(stopped, path, {})).rejects.toMatchObject({ exitCode: 130 });
  const refused = await importPath(depsTo(gateway.url), path, { type: "png" });

  expect(refused).toMatchObject({ status: "invalid_request" });
  expect(await readdir(join(stack.dataDir, "uploads"))).toEqual([]);
});

test.each([
  { what: "below a folder that is not there", place: "no/such/folder/x", says: "ENOENT" },
  { what: "where a folder of its name is", place: "", says: "is there already" },
])("a download to a place $what ends in words", async ({ place, says }) => {
  const path = await written("x.txt", "x");
  const { artifact_id: id } = outputOf(await importPath(depsTo(gateway.url), path, {}));
  await mkdir(join(folder, id));

  const got = getArtifact(depsTo(gateway.url), id, join(folder, place));

  await expect(got).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(says) });
});

test("what the gateway refuses is not sent again", async () => {
  const path = await written("x.txt", "x");

  const wrongType = await importPath(depsTo(gateway.url), path, { type: "Wrong Type" });
  const unknown = getArtifact(depsTo(gateway.url), `art_${"a".repeat(52)}`, join(folder, "y"));

  expect(wrongType).toMatchObject({ status: "invalid_request", error: { code: "I-REQ-001" } });
  await expect(unknown).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("P-PRECOND-001") });
});
