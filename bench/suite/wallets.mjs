// A million watched wallets: how long they take to load, what they weigh, and how long a block's movements take to match.
import { fork } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { openDatabase } from "../../dist/ledger/postgres/database.js";
import { migrate } from "../../dist/ledger/postgres/migrate.js";
import { configureChains } from "../../dist/ledger/watchlist/configure-chains.js";
import { median } from "../alternate.mjs";
import { openCluster } from "../support/cluster.mjs";

const chainName = "ethereum";

export async function run({ quick, say }) {
  const count = quick ? 10_000 : 1_000_000;
  const rounds = quick ? 1 : 3;
  const cluster = await openCluster();
  try {
    const url = await cluster.createDatabase("wallets");
    await fillWallets(url, count);
    say(`${count.toLocaleString("en")} wallets written`);
    const measured = { ours: [], set: [] };
    for (let round = 1; round <= rounds; round += 1) {
      for (const kind of ["ours", "set"]) {
        const one = await measure(kind, url);
        measured[kind].push(one);
        say(`round ${round} of ${rounds}: ${kind} ${JSON.stringify(one)}`);
      }
    }
    return linesOf(measured, count);
  } finally {
    await cluster.end();
  }
}

function linesOf({ ours, set }, count) {
  const conditions = `${count.toLocaleString("en")} wallets; baseline: a Set of their addresses`;
  const line = (name, { unit, goal, of }) => {
    const [mine, plain] = [median(ours.map(of)), median(set.map(of))];
    return {
      name,
      unit,
      ours: mine,
      baseline: plain,
      peer: null,
      ratio: mine / plain,
      goal,
      conditions,
    };
  };
  const match = (share) => ({
    unit: "ms",
    goal: { oursAtMost: 1 },
    of: ({ matchMs }) => matchMs[share],
  });
  return [
    line("load", { unit: "s", goal: { oursAtMost: 10 }, of: ({ loadS }) => loadS }),
    line("memory", { unit: "MiB", goal: { atMost: 1 }, of: ({ memoryMib }) => memoryMib }),
    line("match a block of 1,000 logs, 10 of them watched", match(0.01)),
    line("match a block of 1,000 logs, 500 of them watched", match(0.5)),
  ];
}

/** In a process of its own: its heap holds nothing else. */
async function measure(kind, url) {
  const child = fork(
    new URL("../support/watchlist-child.mjs", import.meta.url),
    [kind, url, chainName],
    { execArgv: ["--expose-gc", "--max-old-space-size=8192"] },
  );
  const [said] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`it ended with status ${code}`);
    }),
  ]);
  return said;
}

/** Of ten businesses, written by PostgreSQL itself. */
async function fillWallets(url, count) {
  await migrate({ databaseUrl: url });
  const db = openDatabase({ databaseUrl: url, poolSize: 1 });
  const coin = { code: "ETH", address: "native", decimals: 18, kind: "exact" };
  await configureChains(db, [{ name: chainName, chainId: 1, assets: [coin] }]);
  await db.$disconnect();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      INSERT INTO business (id, name, verified_at)
      SELECT md5('business' || i)::uuid, 'bench', now() FROM generate_series(0, 9) i`);
    await client.query(
      "INSERT INTO watch_change (id, chain_name, version, position_number) VALUES (md5('change')::uuid, $1, 1000, 1)",
      [chainName],
    );
    await client.query("UPDATE watch_change SET position_number = 1 WHERE position_number IS NULL");
    // What refers to a row exists: it is not looked up for each of them.
    await client.query("SET session_replication_role = replica");
    await client.query(
      `INSERT INTO wallet (id, business_id, chain_name, address, purpose, added_change_id)
      SELECT (lpad(to_hex(1700000000000 + i), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid,
        md5('business' || i % 10)::uuid, $1, '0x' || h || substr(h, 1, 8), 'deposit', md5('change')::uuid
      FROM (SELECT i, md5(i::text) AS h FROM generate_series(1, $2::int) i) a`,
      [chainName, count],
    );
    await client.query("UPDATE chain SET watch_version = 1000 WHERE name = $1", [chainName]);
    await client.query("VACUUM ANALYZE");
  } finally {
    await client.end();
  }
}
