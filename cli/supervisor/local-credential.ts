import { join } from "node:path";
import { Credential, newCredential } from "../../gateway/credentials.ts";
import { complaint } from "../complaint.ts";
import { readJsonFile } from "./json-file.ts";

const folderIn = (dataDir: string) => join(dataDir, "credentials");
const known = (dataDir: string) => readJsonFile(join(folderIn(dataDir), "local.json"), Credential);

/** credentials/local.json (0600), made on the first start: whoever can read it may act as the local user. */
export async function ensureLocalCredential(dataDir: string): Promise<Credential> {
  return (
    (await known(dataDir)) ??
    (await newCredential(folderIn(dataDir), { name: "local", actor: "local", project: "default" }))
  );
}

export async function readLocalCredential(dataDir: string): Promise<Credential> {
  const credential = await known(dataDir);
  if (credential) return credential;
  throw complaint(`no local credential in ${dataDir}. Fix: helixrun up --data ${dataDir}`);
}
