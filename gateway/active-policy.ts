import type { Ledger } from "../ledger/ledger.ts";
import type { Grants } from "../toolpacks/contract/grants.ts";
import type { Sha256 } from "../toolpacks/contract/ids.ts";
import type { Policy } from "../toolpacks/contract/policy.ts";

type Loaded<Document> = { hash: Sha256; bytes: Uint8Array } & Document;
export type LoadDocuments = () => Promise<{ policy: Loaded<{ policy: Policy }>; grants: Loaded<{ grants: Grants }> }>;

/** The policy and grants in force. Attempts in flight keep theirs; new calls see the ones activated last. */
export type ActivePolicy = {
  policy(): Policy;
  policyHash(): Sha256;
  grants(): Grants;
  /** Reads both files again and activates them; if one of them is wrong, nothing changes and it throws. */
  activate(): Promise<{ changed: boolean }>;
};

export async function createActivePolicy({
  load,
  ledger,
}: {
  load: LoadDocuments;
  ledger: Pick<Ledger, "activatePolicy">;
}): Promise<ActivePolicy> {
  const activated = async () => {
    const documents = await load();
    const { changed } = await ledger.activatePolicy(documents);
    return { documents, changed };
  };
  let { documents } = await activated();
  return {
    policy: () => documents.policy.policy,
    policyHash: () => documents.policy.hash,
    grants: () => documents.grants.grants,
    async activate() {
      const next = await activated();
      documents = next.documents;
      return { changed: next.changed };
    },
  };
}
