import { join } from "node:path";
import { credentialFor } from "../gateway/credentials.ts";
import { complaint, exitCodes } from "./complaint.ts";

/** The token that this machine's user has for a project. */
export async function credentialOf(dataDir: string, project: string): Promise<string> {
  const credential = await credentialFor(join(dataDir, "credentials"), project);
  if (credential) return credential.token;
  throw complaint(
    `there is no credential for project ${project}. Fix: helixrun token new --project ${project}`,
    exitCodes.terminal,
  );
}
