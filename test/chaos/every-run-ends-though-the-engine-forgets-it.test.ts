import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../kit/component.ts";
import { type Installation, removeTemporalDatabase, startInstallation } from "../kit/installation.ts";
import { prepareImports, sendImports } from "./imports.ts";
import { rounds, tell } from "./rounds.ts";
import { attemptsUnderWay, endsAfter, settled, whole, wholenessOf } from "./wholeness.ts";

describeWith("temporal", "Temporal killed and its database deleted in the middle of 200 imports", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation[Symbol.asyncDispose]());

  test.each(rounds)(
    "every run ends within 10 s of the restart, once, round $round (C2)",
    async ({ round, killAfter }) => {
      const imports = await prepareImports(installation, `forgotten-${round}`, 200);
      const sending = sendImports(installation, imports, 64);
      await sending.acknowledged(killAfter);
      await installation.signal("worker", "SIGSTOP"); // what is under way stays so, some of it taken by an execution, some not yet
      await attemptsUnderWay(installation, 20);

      const { killedAt, backAt } = await installation.kill("temporal", () =>
        removeTemporalDatabase(installation.dataDir),
      );
      await installation.signal("worker", "SIGCONT");
      const acknowledged = await sending.all;

      const { interrupted, seconds } = await endsAfter(installation, killedAt, backAt);
      tell(
        `Temporal wiped at ${killAfter} of 200, ${interrupted} attempts open: the last ended ${seconds.toFixed(1)} s after its return`,
      );
      expect(interrupted).toBeGreaterThanOrEqual(20);
      expect(seconds).toBeLessThan(10);
      await settled(installation);
      expect(await wholenessOf(installation, acknowledged)).toEqual(whole);
    },
  );

  test("and when the stack is stopped, no process is left", async () => {
    expect(await installation.down()).toEqual([]);
  });
});
