import { ApplicationFailure } from "@temporalio/common";
import { expect, inject, test } from "vitest";
import { createEngineDoor } from "../../temporal/client-door.ts";
import { payloadConverter } from "../../temporal/payload-converter.ts";

test("ids and states pass as they are", () => {
  const value = { state: "succeeded", code: null };

  expect(payloadConverter.fromPayload(payloadConverter.toPayload(value))).toEqual(value);
});

test("a payload over 64 KiB is refused where it is made, for good", () => {
  const large = () => payloadConverter.toPayload("x".repeat(64 * 1024));

  expect(large).toThrow(ApplicationFailure);
  expect(large).toThrow(expect.objectContaining({ type: "C-CONTRACT-007", nonRetryable: true }));
});

test("the client door speaks through it: nothing large reaches the engine", async () => {
  const door = createEngineDoor({ address: inject("temporalAddress"), taskQueue: "nobody" });

  const start = door.start({
    runId: "run_large",
    attempt: 1,
    planKind: "x".repeat(70_000),
    tool: "t",
    projectOpaque: "p",
    executionBefore: null,
  });

  await expect(start).rejects.toThrow(expect.objectContaining({ type: "C-CONTRACT-007" }));
  await door.close();
});
