import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { DaemonProcess } from "../../test/support/process/daemon-process.ts";
import { readMetric } from "../support/metrics.ts";
import type { Payments } from "../support/payments.ts";

export type SoakPayments = Payments<"recording-receiver">;

export type Soaked = {
  payments: SoakPayments;
  daemon: DaemonProcess;
  databaseUrl: string;
  /** By transaction: the amount as a notification shows it. */
  sent: ReadonlyMap<string, string>;
};

/** Resolves once as much has arrived as was sent, or when nothing has arrived for so long. */
export async function untilArrived({ payments, sent }: Soaked, stillMs: number): Promise<void> {
  let last = { count: 0, atMs: performance.now() };
  while (last.count < sent.size && performance.now() - last.atMs < stillMs) {
    await sleep(250);
    const { count } = await payments.receiver.ask("count");
    if (count > last.count) last = { count, atMs: performance.now() };
  }
  // What should not come has the time to.
  await sleep(3_000);
}

/**
 * Holds receiver and ledger against what was sent: what is wrong, in words; empty where nothing is.
 */
export async function faultsOf({ payments, sent, databaseUrl }: Soaked): Promise<string[]> {
  const { arrivals } = await payments.receiver.ask("all");
  const notified = new Map(arrivals.map(({ body }) => transferIn(body)));
  const right = [...sent].filter(([hash, amount]) => notified.get(hash) === amount).length;
  const repeats = arrivals.reduce((sum, one) => sum + one.times - 1, 0);
  const rows = await completedDeposits(databaseUrl);
  const counts = `notified ${arrivals.length}, notified again ${repeats}, in the ledger ${rows}`;
  console.log(`sent ${sent.size}, ${counts}`);
  const lacking = sent.size - right;
  return [
    ...(lacking === 0 ? [] : [`${lacking} were not notified, or not rightly`]),
    ...(arrivals.length === sent.size ? [] : [`${arrivals.length} notifications for ${sent.size}`]),
    ...(rows === sent.size ? [] : [`${rows} completed deposits for ${sent.size}`]),
  ];
}

function transferIn(body: string): [hash: string, amount: string] {
  const { data } = JSON.parse(body) as { data: { txHash: string; amount: string } };
  return [data.txHash, data.amount];
}

/** What the daemon itself says is wrong with it, and where its chain is. */
export async function printTrouble({ daemon }: Soaked): Promise<void> {
  const answer = await (await fetch(`${daemon.url}/health/ready`)).json();
  const { services } = answer as { services: { name: string; trouble: string | null }[] };
  for (const { name, trouble } of services)
    if (trouble !== null) console.log(`${name}: ${trouble}`);
  const of = (name: string) => readMetric(daemon.url, `chainbell_chain_${name}`);
  const [head, position] = [await of("head"), await of("position")];
  console.log(`chain: head ${head}, position ${position}, confirmed ${await of("confirmed")}`);
}

async function completedDeposits(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const sql =
    "SELECT count(*)::int AS n FROM transaction WHERE type = 'deposit' AND status = 'completed'";
  const { rows } = await client.query<{ n: number }>(sql).finally(() => client.end());
  return rows[0]?.n ?? 0;
}
