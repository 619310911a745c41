import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ActorId, ProjectId } from "../toolpacks/contract/ids.ts";

/** Who holds the token may act as this actor in this project. */
export const Credential = z.strictObject({ actor: ActorId, project: ProjectId, token: z.string().min(16) });
export type Credential = z.infer<typeof Credential>;

export type Credentials = { find(token: string): Promise<Omit<Credential, "token"> | undefined> };

/**
 * The credentials of a data directory: one 0600 file each. A token is looked up by its hash, so that comparing takes
 * the same time whatever is wrong with it; files that appear later are read when an unknown token asks for it.
 */
export function createCredentials(folder: string): Credentials {
  let known = new Map<string, Omit<Credential, "token">>();
  let readAt = -1;

  const refresh = async () => {
    const { mtimeMs } = await stat(folder);
    if (mtimeMs === readAt) return;
    known = new Map((await readAll(folder)).map(({ token, ...who }) => [digestOf(token), who]));
    readAt = mtimeMs;
  };
  return {
    async find(token) {
      const digest = digestOf(token);
      if (!known.has(digest)) await refresh();
      return known.get(digest);
    },
  };
}

/** Makes a credential and writes its file; the token is shown once to whoever asked for it. */
export async function newCredential(
  folder: string,
  who: { name?: string; actor: string; project: string },
): Promise<Credential> {
  const token = `hx_${randomBytes(32).toString("base64url")}`;
  const credential = Credential.parse({ actor: who.actor, project: who.project, token });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${who.name ?? `${who.project}-${randomBytes(4).toString("hex")}`}.json`);
  await writeFile(`${path}.new`, JSON.stringify(credential), { mode: 0o600, flag: "wx" });
  await rename(`${path}.new`, path);
  return credential;
}

/** The first credential for a project, as the command line uses it. */
export async function credentialFor(folder: string, project: string): Promise<Credential | undefined> {
  return (await readAll(folder)).find((credential) => credential.project === project);
}

async function readAll(folder: string): Promise<Credential[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).toSorted();
  return Promise.all(
    names.map(async (name) => Credential.parse(JSON.parse(await readFile(join(folder, name), "utf8")))),
  );
}

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
