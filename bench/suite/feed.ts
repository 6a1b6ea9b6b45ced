// The feed: the events that one reader takes in a second, as pages and as a stream, and the
// requests that wait for news while there are none.
import pg from "pg";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import { createResources } from "../../test/support/resources.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { startProgram } from "../process/start-program.ts";
import { alternate, type Contenders, median } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { historyDeployment } from "../support/ledger/fill-history.ts";
import { cpuShare } from "../support/metrics.ts";

const whole = { events: 200_000, waiting: 1_000, rounds: 3, ms: 20_000 };
const quickly = { events: 2_000, waiting: 20, rounds: 1, ms: 1_000 };

/** A business has at most a hundred open answers. */
const waitingEach = 100;

/** A stream of a business on one chain, as its deposits leave it. */
const insertStream = `
  INSERT INTO notification (id, business_id, state, event, body, chain_name, sequence, digest)
  SELECT id, $1, 'confirmed', 'transaction.deposit',
    replace(replace($2, '$id', id::text), '$sequence', sequence::text), 'ethereum', sequence,
    substring(sha256(convert_to(id::text, 'UTF8')) FOR 16)
  FROM (SELECT gen_random_uuid() AS id, sequence FROM generate_series(1, $3::int) AS sequence OFFSET 0) n`;

/** As long as the body of a deposit of a token is. */
const body = JSON.stringify({
  id: "$id",
  event: "transaction.deposit",
  timestamp: "2026-11-26T10:00:00.000Z",
  sequence: "$sequence",
  data: {
    transaction_id: "01938a5e-7b4e-7c3e-8a52-6d1f0c2b9a10",
    type: "deposit",
    amount: "1250.000000",
    asset: "USDC",
    blockchain: "ethereum",
    tx_hash: `0x${"ab".repeat(32)}`,
    from_address: `0x${"cd".repeat(20)}`,
    to_address: `0x${"ef".repeat(20)}`,
    status: "completed",
    block_number: 24_000_000,
    wallet_id: "01938a5e-7b4e-7c3e-8a52-6d1f0c2b9a11",
    reference: "order-1042",
    usd_value: "1250.00",
  },
});

export async function run({ quick, report }: BenchOptions): Promise<Line[]> {
  const { events, waiting, rounds, ms } = quick ? quickly : whole;
  const { open, end } = createResources();
  try {
    const cluster = await open(openCluster(), (one) => one.end());
    const databaseUrl = await cluster.createDatabase("feed");
    const deployment = historyDeployment(databaseUrl);
    const daemon = await open(startDaemon(ourBuild, deployment), (one) => one.stop());
    const { url, admin } = daemon;
    const customers = [];
    for (let at = 0; at < Math.ceil(waiting / waitingEach); at += 1)
      customers.push(
        await createCustomer({ url, admin, blockchain: "ethereum", addresses: [], receiver: null }),
      );
    const db = new pg.Client({ connectionString: databaseUrl });
    await open(db.connect(), () => db.end());
    for (const [at, { businessId }] of customers.entries())
      await db.query(insertStream, [businessId, body, at === 0 ? events : 1]);
    await db.query("VACUUM ANALYZE notification");
    report(`${events.toLocaleString("en")} events written`);

    const reader = await open(startProgram("feed-reader", null), (one) => one.stop());
    const key = customers[0]?.key ?? "";
    const read = async (as: "pages" | "stream") =>
      (await reader.ask({ kind: "read", url, key, as, events })).perSecond;
    const contenders: Contenders<number> = {
      pages: () => read("pages"),
      stream: () => read("stream"),
    };
    const rates = await alternate(rounds, contenders, (name, rate) =>
      report(`${name} ${Math.round(rate)}`),
    );

    const without = await cpuShare(url, ms);
    const keys = customers.map((customer) => customer.key);
    await reader.ask({ kind: "wait", url, keys, each: Math.ceil(waiting / keys.length) });
    const beside = await cpuShare(url, ms);
    const { answered } = await reader.ask({ kind: "leave" });

    const conditions = `${events.toLocaleString("en")} events of ${body.length} bytes, one business, one chain`;
    return [
      ...(["pages", "stream"] as const).map((as) =>
        lineOf({
          name: `one reader, as ${as}`,
          unit: "µs an event",
          ours: 1_000_000 / median(rates(as)),
          // 20,000 events a second.
          goal: { oursAtMost: 50 },
          conditions,
        }),
      ),
      lineOf({
        name: `${waiting.toLocaleString("en")} requests that wait`,
        unit: "% of a core",
        ours: beside - without,
        goal: { oursAtMost: 1 },
        conditions: `${customers.length} businesses, nothing is written, ${answered} waited their time and were asked again; less what it takes without them`,
      }),
    ];
  } finally {
    await end();
  }
}
