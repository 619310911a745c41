import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256Of } from "../gateway/http/artifacts/http.ts";
import { describeWith } from "../kit/component.ts";
import { type Installation, startInstallation } from "../kit/installation.ts";
import { eventually, helixrun } from "./kit.ts";

describeWith("temporal", "helixrun artifacts", () => {
  let installation: Installation;
  let folder: string;
  beforeAll(async () => {
    installation = await startInstallation();
    folder = await mkdtemp(join(tmpdir(), "helixrun-files-"));
  });
  afterAll(async () => {
    await installation[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function artifacts(...args: string[]) {
    const running = helixrun(["artifacts", ...args, "--data", installation.dataDir]);
    const { code } = await running.ended;
    return { code, stdout: running.stdout(), stderr: running.stderr() };
  }
  const idIn = (stdout: string) => /art_[a-z2-7]{52}/.exec(stdout)?.[0] ?? "";

  test("import, list, preview and get a file, for people: quiet in a pipe but for the answer (A2, A3, A39)", async () => {
    const path = join(folder, "table.csv");
    await writeFile(path, "name,count\nalpha,1\nbeta,2\n");

    const imported = await artifacts("import", path, "--label", "counts\u001b[31m");
    const id = idIn(imported.stdout);
    const listed = await artifacts("list", "--type", "csv");
    const preview = await artifacts("preview", id);
    const got = await artifacts("get", id, "-o", join(folder, "back.csv"));

    expect(imported).toEqual({ code: 0, stdout: `${id}  ${path}\n`, stderr: "" });
    expect(listed.stdout).toMatch(new RegExp(`csv  26 B  ${id}  counts␛\\[31m\\n$`));
    expect(preview.stdout).toBe("name   count\nalpha  1\nbeta   2\n2 of 2 rows\n");
    expect(got).toEqual({ code: 0, stdout: `${join(folder, "back.csv")}\n`, stderr: "" });
    expect(await readFile(join(folder, "back.csv"), "utf8")).toBe("name,count\nalpha,1\nbeta,2\n");
  });

  test("with --json each prints one document, and the import holds the envelopes (C39)", async () => {
    await mkdir(join(folder, "src/deep"), { recursive: true });
    await writeFile(join(folder, "src/a.txt"), "a");
    await writeFile(join(folder, "src/deep/b.txt"), "b");

    const imported = await artifacts("import", join(folder, "src"), join(folder, "src/a.txt"), "--json");
    const [tree, file] = JSON.parse(imported.stdout) as { path: string; answer: { output: { artifact_id: string } } }[];
    const got = await artifacts("get", tree?.answer.output.artifact_id ?? "", "-o", join(folder, "tree"), "--json");

    expect([tree?.path, file?.path]).toEqual([join(folder, "src"), join(folder, "src/a.txt")]);
    expect(file?.answer).toMatchObject({ status: "success", output: { bytes: 1 }, provenance: { replayed: true } });
    expect(JSON.parse(got.stdout)).toMatchObject({ type: "tree", path: join(folder, "tree") });
    expect((await readdir(join(folder, "tree"), { recursive: true })).toSorted()).toEqual([
      "a.txt",
      "deep",
      "deep/b.txt",
    ]);
  });

  test.each([
    { what: "a file that is not there", args: ["import", "/no/such/file"], code: 2, says: "cannot be read" },
    { what: "an artifact that is not there", args: ["get", `art_${"a".repeat(52)}`], code: 4, says: "P-PRECOND-001" },
    {
      what: "a preview of no known kind",
      args: ["preview", `art_${"a".repeat(52)}`, "--as", "film"],
      code: 2,
      says: "--as",
    },
  ])("$what ends with $code and in words", async ({ args, code, says }) => {
    expect(await artifacts(...args)).toEqual({ code, stdout: "", stderr: expect.stringContaining(says) });
  });

  test("a type that is none ends with 2, with the code of the fault", async () => {
    const refused = await artifacts("import", join(folder, "table.csv"), "--type", "No Type");

    expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining("I-REQ-001") });
  });

  test("an import survives that the gateway is killed in the middle of it", async () => {
    const content = randomBytes(400_000_000);
    const path = join(folder, "large.bin");
    await writeFile(path, content);
    const uploads = join(installation.dataDir, "uploads");

    const running = artifacts("import", path, "--json");
    await eventually(async () => (await readdir(uploads)).length > 0);
    await installation.kill("gateway");
    const { code, stdout } = await running;

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { answer: { status: "success", output: { sha256: sha256Of(content) } } },
    ]);
    expect(await readdir(uploads)).toEqual([]);
  });

  test.each(["import", "get", "list", "preview"])("%s --help has an example", async (command) => {
    const { stdout } = await artifacts(command, "--help");

    expect(stdout).toContain(`Example:\n  helixrun artifacts ${command} `);
  });
});
