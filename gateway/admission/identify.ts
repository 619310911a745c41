import { canonicalBytes } from "../../toolpacks/contract/canonical-json.ts";
import { sha256Hex } from "../../toolpacks/contract/hash.ts";
import { ContractVersion, ToolName, type RunId, type Sha256 } from "../../toolpacks/contract/ids.ts";
import { paramsBytesOf, runIdOf, type Sys } from "../../toolpacks/contract/run-id.ts";
import type { WorkOrder } from "../../toolpacks/contract/work-order.ts";
import type { AllowedCall } from "./gate-plan.ts";

/** What a run is, and what its first attempt is to do. */
export type RunOrder = {
  runId: RunId;
  tool: string;
  contractVersion: string;
  toolVersion: string;
  digest: Sha256;
  policyHash: Sha256;
  paramsHash: Sha256;
  params: Uint8Array;
  planKind: string;
  /** Made when an attempt is opened: most calls replay. */
  workOrder(): Uint8Array;
};
export type IdentifiedCall = AllowedCall & { run: RunOrder };

/** Step 9: the same question is the same run, whoever asks it and whenever (T2, A9, A14). */
export function createIdentify({ policyHash }: { policyHash(): Sha256 }) {
  return function identify(call: AllowedCall): IdentifiedCall {
    const { tool, plan, inputsToLink: inputs, request } = call;
    const params = paramsBytesOf(sysOf(call), call.canonicalParams);
    const paramsHash = sha256Hex(params);
    const identity = {
      tool: ToolName.parse(tool.toolName),
      contractVersion: ContractVersion.parse(tool.contractVersion),
      policyHash: policyHash(),
      paramsHash,
    };
    const workOrder: WorkOrder = { plan, inputs, timeout_ms: request.constraints.timeout_ms };
    const run = {
      ...identity,
      runId: runIdOf(identity),
      toolVersion: tool.version,
      digest: tool.digest,
      params,
      planKind: plan.kind,
      workOrder: () => canonicalBytes(workOrder),
    };
    return { ...call, run };
  };
}

/** Written by the gateway alone: where it runs, what runs, and for tools that are not pure which effect is meant. */
function sysOf({ caller, tool, request, key, determinism }: AllowedCall): Sys {
  const build = { id: tool.toolName, version: tool.version, digest: tool.digest };
  if (determinism === "pure" || key === null) return { project: caller.project, build };
  return { project: caller.project, build, key: { actor: caller.actor, fn: request.fn, key } };
}
