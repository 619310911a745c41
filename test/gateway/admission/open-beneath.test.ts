import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBeneath } from "../../../gateway/admission/open-beneath.ts";
import { refusalLater } from "./steps.ts";

let root: string;
let socket: Server;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "helixrun-beneath-"));
  root = join(folder, "root");
  await mkdir(join(root, "sub", "deep"), { recursive: true });
  await writeFile(join(folder, "outside"), "secret");
  await writeFile(join(root, "file"), "content");
  await writeFile(join(root, "sub", "deep", "file"), "deep content");
  await symlink(join(folder, "outside"), join(root, "link-out"));
  await symlink("file", join(root, "link-in"));
  await symlink(folder, join(root, "folder-out"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  socket = createServer().listen(join(root, "socket"));
});
afterAll(async () => {
  socket.close();
  await rm(join(root, ".."), { recursive: true, force: true });
});

async function contentOf(path: string): Promise<string> {
  const file = await openBeneath(root, path);
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

test.each([
  ["file", "content"],
  ["./file", "content"],
  ["sub/deep/file", "deep content"],
  ["sub//deep/./file", "deep content"],
])("%s below the root is read (A4)", async (path, content) => {
  expect(await contentOf(path)).toBe(content);
});

test.each(["../outside", "sub/../../outside", "sub/../file", "/etc/passwd", "file\0.txt", ".."])(
  "%j leaves the root and is refused (A20)",
  async (path) => {
    expect((await refusalLater(() => contentOf(path))).code).toBe("A-AUTH-006");
  },
);

test.each([
  ["link-out", "a symbolic link"],
  ["link-in", "a symbolic link"],
  ["sub", "a folder"],
  ["pipe", "a pipe"],
  ["socket", "a socket"],
  ["missing", "nothing"],
  ["missing/file", "nothing"],
  ["file/file", "something that is not a folder on the way"],
  [".", "directory"],
  ["x".repeat(300), "a name that is too long"],
])("%s is no regular file: refused, and said what it is (A20)", async (path, found) => {
  expect(await refusalLater(() => contentOf(path))).toMatchObject({ code: "I-REQ-006", details: { found } });
});

test("a folder on the way that is a link is not followed (A20)", async () => {
  expect((await refusalLater(() => contentOf("folder-out/outside"))).code).toBe("I-REQ-006");
});

test("a device is refused without being opened", async () => {
  const refused = await refusalLater(async () => (await openBeneath("/dev", "full")).close());

  expect(refused).toMatchObject({ code: "I-REQ-006", details: { found: "a device" } });
});

test("a root that does not exist is refused as nothing found", async () => {
  expect((await refusalLater(() => openBeneath(join(root, "nowhere"), "file"))).code).toBe("I-REQ-006");
});

test("a path that is swapped for a link again and again never leads outside (A20)", async () => {
  const swapped = join(root, "swapped");
  const plain = join(root, "plain");
  const stop = new AbortController();
  const swapping = (async () => {
    while (!stop.signal.aborted) {
      await writeFile(plain, "inside");
      await rename(plain, swapped);
      await symlink(join(root, "..", "outside"), plain);
      await rename(plain, swapped);
    }
  })();

  const seen = new Set<string>();
  for (const _ of Array.from({ length: 300 })) {
    const content = await contentOf("swapped").catch((error: { code: string }) => error.code);
    seen.add(content);
  }
  stop.abort();
  await swapping;

  expect(seen).not.toContain("secret");
  expect([...seen].filter((content) => !["inside", "", "I-REQ-006"].includes(content))).toEqual([]);
});

test("an empty file and a sparse one are files like any other", async () => {
  await writeFile(join(root, "empty"), "");
  await writeFile(join(root, "sparse"), "");
  await truncate(join(root, "sparse"), 10_000);

  expect(await contentOf("empty")).toBe("");
  expect(await contentOf("sparse")).toHaveLength(10_000);
});
