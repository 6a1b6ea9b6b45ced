// The daemon at work for long: transfers at a steady rate, its memory every 30 s and the slope of
// that, and whether in the end everything is in the ledger and was notified exactly once.
// Usage: node scripts/run.mjs soak [--minutes 30] [--per-second 50] [--held 0]
// `held`: somebody holds a snapshot open for so many of the minutes, the last ones, as a dump does.
// Exits with 1 where something is missing, too much or wrong, and where a claim at the end of the
// held minutes takes more than twice as long as before them. The slope only informs.
import { setTimeout as sleep } from "node:timers/promises";
import { ourBuild } from "../process/build.ts";
import { readMetric } from "../support/metrics.ts";
import { openPayments } from "../support/payments.ts";
import { numberOptions } from "./number-options.ts";
import { type Sample, slopePerHour } from "./slope.ts";
import { watchClaims } from "./soak-claims.ts";
import { faultsOf, printTrouble, type Soaked, untilArrived } from "./soak-outcome.ts";
import { createSender } from "./soak-sender.ts";

const values = numberOptions({ minutes: 30, "per-second": 50, held: 0 });
const forMs = values.minutes * 60_000;
const perSecond = values["per-second"];
const sampleMs = Math.min(30_000, forMs / 4);
/** Compiled code, filled pools, a grown heap: what comes before this is no leak. */
const warmUpMs = Math.min(180_000, forMs / 4);
/**
 * A chain that answers slowly may be behind by some minutes: what has not moved for this long does
 * not move.
 */
const stillMs = Math.min(120_000, Math.max(forMs, 30_000));

process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const payments = await openPayments("recording-receiver", () => null);
  try {
    await payments.anvil.rpc("evm_setIntervalMining", 1);
    const { daemon, databaseUrl } = await payments.serve({
      build: ourBuild,
      name: "soaked",
      queue: "redis",
      webhooks: {},
      // Of anvil's two kinds of traces, the other one runs a block again for each of its
      // transactions.
      chain: { rpcUrl: payments.anvil.rpcUrl, confirmations: 2, tracing: "parity" },
    });
    const sender = await createSender(payments);
    const soaked = { payments, daemon, databaseUrl, sent: sender.sent };
    try {
      const beganAtMs = performance.now();
      const sending = sender.send({ perSecond, forMs });
      const claims =
        values.held === 0
          ? null
          : watchClaims(soaked, { quietMs: forMs - values.held * 60_000, forMs });
      const samples = await watch(soaked, beganAtMs);
      await sending;
      const isFast = (await claims) ?? true;
      await untilArrived(soaked, stillMs);
      printSlopes(samples);
      await printTrouble(soaked);
      const faults = await faultsOf(soaked);
      console.log(faults.length === 0 ? "everything arrived, exactly" : faults.join("\n"));
      return faults.length === 0 && isFast;
    } finally {
      await daemon.stop();
    }
  } finally {
    await payments.end();
  }
}

/** Samples the daemon's memory, and prints each sample, for as long as transfers are sent. */
async function watch({ daemon, payments, sent }: Soaked, beganAtMs: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let nextMs = sampleMs; nextMs <= forMs; nextMs += sampleMs) {
    await sleep(Math.max(0, beganAtMs + nextMs - performance.now()));
    const mib = async (name: string) => (await readMetric(daemon.url, name)) / 2 ** 20;
    const sample = {
      seconds: (performance.now() - beganAtMs) / 1_000,
      rss: await mib("chainbell_process_resident_memory_bytes"),
      heap: await mib("chainbell_nodejs_heap_size_used_bytes"),
    };
    samples.push(sample);
    const { count } = await payments.receiver.ask("count");
    const memory = `RSS ${sample.rss.toFixed(1)} MiB  heap ${sample.heap.toFixed(1)} MiB`;
    const at = `${sample.seconds.toFixed(0).padStart(5)} s`;
    console.log(`${at}  ${memory}  sent ${sent.size}  arrived ${count}`);
  }
  return samples;
}

function printSlopes(samples: readonly Sample[]): void {
  const late = samples.filter(({ seconds }) => seconds * 1_000 >= warmUpMs);
  for (const of of ["rss", "heap"] as const) {
    const slope = slopePerHour(late, of).toFixed(1);
    console.log(`${of}: ${slope} MiB per hour, from ${late.length} samples`);
  }
}
