import { defaultPayloadConverter, type Payload, type PayloadConverter } from "@temporalio/common";
import { ToolError } from "../toolpacks/contract/tool-error.ts";
import { failureOf } from "./failures.ts";

/**
 * Ids, digests and states cross Temporal, nothing large: a result of 3 MB does not fail, it fails its workflow task
 * about 19 times a second for ever (verified). So whatever is larger than this is refused where it is made.
 */
const maxBytes = 64 * 1024;

export const payloadConverter: PayloadConverter = {
  toPayload<T>(value: T): Payload {
    const payload = defaultPayloadConverter.toPayload(value);
    const bytes = payload.data?.length ?? 0;
    if (bytes > maxBytes) throw failureOf(new ToolError("C-CONTRACT-007", { details: { bytes, max_bytes: maxBytes } }));
    return payload;
  },
  fromPayload: (payload) => defaultPayloadConverter.fromPayload(payload),
};
