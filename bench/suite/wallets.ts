// A million watched wallets: how long they take to load, what they weigh, and how long a block's
// movements take to match.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { type Build, buildsWith, ourBuild } from "../process/build.ts";
import type { MatchFigures } from "../process/protocol.ts";
import { startProgram } from "../process/start-program.ts";
import { withApi } from "../process/with-api.ts";
import { alternate, type Contenders, median } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Goal, type Line, lineOf } from "../runner/line.ts";
import { idleDeployment } from "../support/delivery/open-delivery.ts";

const chainName = "none";

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const [count, rounds] = quick ? [10_000, 1] : [1_000_000, 3];
  const cluster = await openCluster();
  try {
    const databaseUrl = await cluster.createDatabase(`wallets_${randomUUID()}`);
    const deployment = idleDeployment({ databaseUrl, redisUrl: null, ports: [], webhooks: {} });
    // Makes the tables, and the chain.
    await withApi(ourBuild, deployment, async () => {});
    await fillWallets(databaseUrl, count);
    report(`${count.toLocaleString("en")} wallets written`);
    const measure = (kind: "ours" | "set", build: Build) => () =>
      measureIn({ kind, databaseUrl }, build);
    const contenders: Contenders<MatchFigures> = { set: measure("set", ourBuild) };
    for (const build of buildsWith(against)) contenders[build.name] = measure("ours", build);
    const figures = await alternate(rounds, contenders, (name, figure) =>
      report(`${name} ${JSON.stringify(figure)}`),
    );
    return linesOf(figures, count, against);
  } finally {
    await cluster.end();
  }
}

function linesOf(
  figures: (name: string) => MatchFigures[],
  count: number,
  other: Build | null,
): Line[] {
  const conditions = `${count.toLocaleString("en")} wallets; baseline: a Set of their addresses`;
  const line = (
    name: string,
    { unit, goal, of }: { unit: string; goal: Goal; of: (one: MatchFigures) => number },
  ) => {
    const middle = (contender: string) => median(figures(contender).map(of));
    const [ours, baseline] = [middle(ourBuild.name), middle("set")];
    const against = other === null ? null : middle(other.name);
    return lineOf({ name, unit, ours, baseline, against, goal, conditions });
  };
  const match = (share: string) => ({
    unit: "ms",
    goal: { oursAtMost: 1 },
    of: ({ matchMs }: MatchFigures) => matchMs[share] ?? Number.NaN,
  });
  return [
    line("load", { unit: "s", goal: { oursAtMost: 10 }, of: ({ loadS }) => loadS }),
    line("memory", { unit: "MiB", goal: { atMost: 1 }, of: ({ memoryMib }) => memoryMib }),
    line("match a block of 1,000 logs, 10 of them watched", match("0.01")),
    line("match a block of 1,000 logs, 500 of them watched", match("0.5")),
  ];
}

/** In a process of its own: its heap holds nothing else. */
async function measureIn(
  given: { kind: "ours" | "set"; databaseUrl: string },
  build: Build,
): Promise<MatchFigures> {
  const nodeArgs = ["--expose-gc", "--max-old-space-size=8192"];
  const program = await startProgram("match-blocks", { ...given, chainName }, { build, nodeArgs });
  await program.stop();
  return program.ready;
}

/** Of ten businesses, written by PostgreSQL itself. */
async function fillWallets(connectionString: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString });
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
