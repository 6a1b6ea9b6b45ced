import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createReadingReporter } from "../../../src/watcher/head/report-reading.ts";
import { plainReading } from "../../support/chain/reading.ts";
import { keepingLog } from "../../support/fault-steps.ts";
import { waitFor } from "../../support/wait-for.ts";

const day = 86_400_000;

test("an upgrade that this version does not read is logged once a day, with what to do", async () => {
  const startMs = 1_800_000_000_000;
  let nowMs = startMs;
  const kept = keepingLog();
  const upgrade = { name: "Tomorrow", atMs: startMs + 10 * day };
  const reporter = createReadingReporter(
    {
      chain: {
        status: () => ({ ...plainReading, upgrade }),
        head: async () => ({ number: 1n, hash: "0x1" }),
      },
      gate: { held: () => null },
      ledger: { writeReading: async () => {}, noteLag: async () => {} },
      lease: { take: async () => true },
      clock: {
        now: () => nowMs,
        elapsed: () => nowMs,
        async sleep(ms) {
          nowMs += ms * 1_000;
          await setImmediate();
        },
      },
      log: kept.log,
    },
    "moon",
  );
  await reporter.start();
  await waitFor(() => nowMs > startMs + 2.5 * day, { what: "some days", timeoutMs: 10_000 });
  await reporter.stop();
  const days = Math.floor((nowMs - startMs) / day) + 1;
  const warned = kept.lines.filter(({ message }) => message === "upgrade.not_read");
  expect(warned.length).toBeGreaterThanOrEqual(3);
  expect(warned.length).toBeLessThanOrEqual(days);
  expect(warned[0]?.fields).toMatchObject({
    chain: "moon",
    upgrade: "Tomorrow",
    at: new Date(upgrade.atMs).toISOString(),
    remedy: expect.stringContaining("Install a version"),
  });
});
