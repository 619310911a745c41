import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { type Installation, type ProcessName, startInstallation } from "../kit/installation.ts";
import { answeredOtherwise, longestWaitOf, prepareImports, sendImports } from "./imports.ts";
import { rounds, tell } from "./rounds.ts";
import { attemptsUnderWay, endsAfter, settled, whole, wholenessOf } from "./wholeness.ts";

const victims: ProcessName[] = ["worker", "gateway", "temporal", "postgres", "supervisor"];

describeWith("temporal", "kill -9 in the middle of 200 imports", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  describe.each(victims)("of the %s", (victim) => {
    test.each(rounds)(
      "loses nothing that was acknowledged, leaves nothing stuck and no blob half-written, round $round (A6, A13, C2)",
      async ({ round, killAfter }) => {
        const imports = await prepareImports(installation, `${victim}-${round}`, 200);
        const sending = sendImports(installation, imports, 16);
        await sending.acknowledged(killAfter);
        await attemptsUnderWay(installation, 4);

        const { killedAt, backAt } = await installation.kill(victim);
        const acknowledged = await sending.all;

        const { interrupted, seconds } = await endsAfter(installation, killedAt, backAt);
        const longest = longestWaitOf(acknowledged);
        tell(
          `${victim} killed at ${killAfter} of 200, ${interrupted} attempts open: the last ended ${seconds.toFixed(1)} s after its return; no caller waited longer than ${longest.toFixed(1)} s`,
        );
        expect(acknowledged).toHaveLength(200);
        expect(seconds).toBeLessThan(10);
        expect(longest).toBeLessThan(40); // whose wake-up was lost would wait for the 45 s that a gateway keeps a caller
        await settled(installation);
        expect(await wholenessOf(installation, acknowledged)).toEqual(whole);
        expect(await answeredOtherwise(installation, acknowledged)).toEqual([]);
      },
    );
  });

  test("and when the stack is stopped, no process is left", async () => {
    expect(await installation.down()).toEqual([]);
  });
});
