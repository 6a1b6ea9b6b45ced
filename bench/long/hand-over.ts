// How long the chains of a watcher stand still that is killed: several watcher processes share the
// chains by themselves, one gets a SIGKILL, and until the others have written blocks of all of its
// chains the time is taken. Below 5 s is asked for.
// Usage: node scripts/run.mjs hand-over [--chains 8] [--watchers 4] [--times 3]
import pg from "pg";
import { type Anvil, startAnvil } from "../../test/support/chain/anvil.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import type { DaemonProcess } from "../../test/support/process/daemon-process.ts";
import { type Deployment, deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { withRoles } from "../process/with-api.ts";
import { numberOptions } from "./number-options.ts";

const values = numberOptions({ chains: 8, watchers: 4, times: 3 });
const askedMs = 5_000;
const timeoutMs = 120_000;
const blockMs = 250;

const isSoonEnough = await main();
process.exit(isSoonEnough ? 0 : 1);

async function main(): Promise<boolean> {
  const { open, onEnd, end } = createResources();
  try {
    const anvils: Anvil[] = [];
    for (let index = 0; index < values.chains; index += 1) {
      const args = ["--chain-id", String(31_337 + index)];
      anvils.push(await open(startAnvil({ args }), (one) => one.stop()));
    }
    const cluster = await open(openCluster(), (one) => one.end());
    const databaseUrl = await cluster.createDatabase("shared");
    const deployment = withRoles(deploymentFor(databaseUrl, anvils), "watcher");
    const daemons = new Set<DaemonProcess>();
    onEnd(() => Promise.all([...daemons].map((one) => one.kill())));
    const start = async () => daemons.add(await startDaemon(ourBuild, deployment));
    for (let count = 0; count < values.watchers; count += 1) await start();
    const db = await open(connect(databaseUrl), (one) => one.end());
    const mining = setInterval(() => void Promise.all(anvils.map((one) => one.mine(1))), blockMs);
    onEnd(async () => clearInterval(mining));

    const longest: number[] = [];
    for (let time = 0; time < values.times; time += 1) {
      longest.push(await handOver(db, daemons));
      await start();
    }
    const worstMs = Math.max(...longest);
    console.log(`longest of ${longest.length}: ${worstMs} ms, asked ${askedMs}`);
    return worstMs < askedMs;
  } finally {
    await end();
  }
}

type Watched = { name: string; holder: string; position: bigint };

/**
 * Kills the watcher that was started first, and waits for its chains. Answers how long the last of
 * them took, in ms.
 */
async function handOver(db: pg.Client, daemons: Set<DaemonProcess>): Promise<number> {
  const before = await evenlyHeld(db, daemons.size);
  const [first] = daemons;
  if (first === undefined) throw new Error("No watcher is there.");
  const killedAtMs = performance.now();
  await first.kill();
  daemons.delete(first);
  const stood = new Map((await read(db)).map(({ name, position }) => [name, position]));
  /** Of those that have another holder: how long they stood still. */
  const took = new Map<string, number>();
  await waitFor(
    async () => {
      const now = await read(db);
      const moved = now.filter(({ name, holder }) => before.get(name) !== holder);
      for (const { name, position } of moved) {
        if (took.has(name) || position <= (stood.get(name) ?? 0n)) continue;
        took.set(name, Math.round(performance.now() - killedAtMs));
      }
      const holders = new Set(now.map(({ holder }) => holder));
      return holders.size === daemons.size && moved.every(({ name }) => took.has(name));
    },
    { what: "the chains of the killed watcher", timeoutMs },
  );
  const list = [...took.values()].sort((one, other) => one - other);
  console.log(`${list.length} of ${before.size} chains went on after ${list.join(", ")} ms`);
  return list.at(-1) ?? 0;
}

/** Once no watcher has two more than another: who holds which chain. */
async function evenlyHeld(db: pg.Client, watchers: number): Promise<Map<string, string>> {
  let shared: Watched[] = [];
  const isEven = async () => {
    shared = await read(db);
    const counts = new Map<string, number>();
    for (const { holder } of shared) counts.set(holder, (counts.get(holder) ?? 0) + 1);
    const least = counts.size < watchers ? 0 : Math.min(...counts.values());
    return shared.length === values.chains && Math.max(...counts.values()) - least < 2;
  };
  await waitFor(isEven, { what: "the chains to be shared out", timeoutMs });
  return new Map(shared.map(({ name, holder }) => [name, holder]));
}

/** The chains that somebody watches. */
async function read(db: pg.Client): Promise<Watched[]> {
  const { rows } = await db.query<{ name: string; holder: string; position: string }>(`
    SELECT chain.name, lease.holder::text AS holder, coalesce(position_number, 0)::text AS position
    FROM chain JOIN lease ON lease.name = 'watcher:' || chain.name ORDER BY 1`);
  return rows.map(({ position, ...row }) => ({ ...row, position: BigInt(position) }));
}

async function connect(connectionString: string): Promise<pg.Client> {
  const db = new pg.Client({ connectionString });
  await db.connect();
  return db;
}

/** One file for all watchers. */
function deploymentFor(databaseUrl: string, anvils: readonly Anvil[]): Deployment {
  return deploymentOf({
    databaseUrl,
    redisUrl: null,
    receiverPorts: [],
    chains: anvils.map(({ rpcUrl }, index) => ({
      name: `chain${index}`,
      chainId: 31_337 + index,
      rpcUrl,
      confirmations: 1,
      pollMs: 50,
      nativePrice: null,
    })),
  });
}
