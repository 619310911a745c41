import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ActorId, ProjectId, UploadId } from "../../toolpacks/contract/ids.ts";

/** Whose upload it is, and until when: beside its bytes, so that it outlives the gateway. */
export const UploadRecord = z.strictObject({
  upload_id: UploadId,
  actor: ActorId,
  project: ProjectId,
  expires_at: z.iso.datetime(),
});
export type UploadRecord = z.infer<typeof UploadRecord>;

/** The folder of uploads: `<id>.bytes`, and `<id>.json` for those that may be resumed. What a killed gateway received in one go has no record, of what it had made a blob of are no bytes left: both are removed here. */
export async function openUploadFiles(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const recordOf = (id: string) => join(folder, `${id}.json`);
  const bytesOf = (id: string) => join(folder, `${id}.bytes`);
  const remove = async (id: string) => {
    await rm(recordOf(id), { force: true }); // first: bytes without a record are removed at the next start
    await rm(bytesOf(id), { force: true });
  };

  const names = await readdir(folder);
  const found = await Promise.all(names.filter((name) => name.endsWith(".json")).map((name) => read(folder, name)));
  const records = found.filter((record) => record !== undefined).filter((r) => names.includes(`${r.upload_id}.bytes`));
  const known = new Set(records.flatMap(({ upload_id: id }) => [`${id}.json`, `${id}.bytes`]));
  await Promise.all(names.filter((name) => !known.has(name)).map((name) => rm(join(folder, name), { force: true })));

  return {
    records,
    bytesOf,
    remove,
    async create(id: UploadId): Promise<void> {
      await writeFile(bytesOf(id), "", { flag: "wx", mode: 0o600 });
    },
    async record(record: UploadRecord): Promise<void> {
      const path = recordOf(record.upload_id);
      await writeFile(`${path}.new`, JSON.stringify(record), { flag: "wx", mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    sizeOf: async (id: UploadId): Promise<number> => (await stat(bytesOf(id))).size,
  };
}

async function read(folder: string, name: string): Promise<UploadRecord | undefined> {
  try {
    return UploadRecord.parse(JSON.parse(await readFile(join(folder, name), "utf8")));
  } catch {
    return undefined; // not ours, or not whole: nobody can go on with it
  }
}
