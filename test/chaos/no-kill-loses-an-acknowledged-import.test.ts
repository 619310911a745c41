import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { type Installation, type ProcessName, startInstallation } from "../kit/installation.ts";
import { eventually } from "../cli/kit.ts";
import { prepareImports, sendImports } from "./imports.ts";
import { rounds, tell } from "./rounds.ts";
import { secondsToLastEnd, whole, wholenessOf } from "./wholeness.ts";

const victims: ProcessName[] = ["worker", "gateway", "temporal", "postgres", "supervisor"];

describeWith("temporal", "kill -9 in the middle of 200 imports", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  describe.each(victims)("of the %s", (victim) => {
    test.each(rounds)(
      "loses nothing that was acknowledged, leaves nothing stuck and no blob half-written, round $round (C2)",
      async ({ round, killAfter }) => {
        const imports = await prepareImports(installation, `${victim}-${round}`, 200);
        const sending = sendImports(installation, imports, 16);
        await sending.acknowledged(killAfter);

        const backAt = await installation.kill(victim);
        const acknowledged = await sending.all;

        expect(acknowledged).toHaveLength(200);
        await eventually(
          async () => (await wholenessOf(installation, acknowledged)).unresolvedCalls.length === 0,
          10_000,
        );
        expect(await wholenessOf(installation, acknowledged)).toEqual(whole);
        const seconds = await secondsToLastEnd(installation, backAt);
        tell(
          `${victim} killed after ${killAfter} of 200: all that was open had ended ${seconds.toFixed(1)} s after it was back`,
        );
        expect(seconds).toBeLessThan(10);
      },
    );
  });

  test("and when the stack is stopped, no process is left", async () => {
    expect(await installation.down()).toEqual([]);
  });
});
