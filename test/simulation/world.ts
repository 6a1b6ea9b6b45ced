import pg from "pg";
import { Fault, faultIn } from "../../src/domain/fault.ts";
import type { Database } from "../../src/ledger/database.ts";
import { openDatabase } from "../../src/ledger/database.ts";
import { createFakeChain, type FakeBlock, type FakeChain } from "./fake-chain.ts";
import { drawProfile, type Profile } from "./profile.ts";
import { createRandom } from "./random.ts";
import { createScheduler, type Life, type Scheduler } from "./scheduler.ts";
import { genesisBalances, tokens } from "./traffic.ts";

export const chainName = "simulated";

/** Everything that one run shares. */
export type World = {
  seed: number;
  profile: Profile;
  scheduler: Scheduler;
  random: (name: string) => ReturnType<typeof createRandom>;
  db: Database;
  sql: <T extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<T[]>;
  chain: FakeChain;
  /** Blocks of chains that another has replaced. */
  gone: Map<string, FakeBlock>;
  isHealed: boolean;
  /** What the run itself knows of what was watched when. */
  known: Known;
  /** What should never have happened. */
  failures: string[];
  /** Takes note of an error that a step threw: an injected or expected one is none. */
  judge: (who: string, error: unknown) => void;
  close: () => Promise<void>;
};

/** Order of events that matter to what must be in the ledger; an event's number is its place. */
type Known = {
  events: number;
  /** By block hash: when the block was last written to the ledger. */
  writtenAt: Map<string, number>;
  /** By wallet id. */
  addedAt: Map<string, number>;
  /** By asset address, of what is configured now. */
  configuredAt: Map<string, number>;
  /** Assets that were once taken out of the configuration. */
  away: Set<string>;
  resetAt: number;
  /** By wallet id: the transactions it had when it was removed. */
  removed: Map<string, string>;
};

/** What the faults of this simulation look like to those who meet them, and what may follow from them. */
const expectedCodes = new Set([
  "rpc_unavailable",
  "rpc_inconsistent",
  "state_unavailable",
  "database_unavailable",
  "queue_unavailable",
  "wrong_chain_id",
  "wrong_genesis",
  "wallet_exists",
  "webhook_not_found",
  "webhook_inactive",
  "delivery_in_flight",
]);

export async function createWorld(options: {
  seed: number;
  blocks: number;
  databaseUrl: string;
}): Promise<World> {
  const { seed, blocks, databaseUrl } = options;
  const random = (name: string) => createRandom(seed, name);
  const profile = drawProfile(random("profile"), blocks);
  const db = openDatabase({ databaseUrl, poolSize: 6 });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const failures: string[] = [];
  const scheduler = createScheduler({
    ledger: random("ledger order"),
    delivery: random("delivery order"),
  });
  return {
    ...{ seed, profile, random, db, failures, scheduler },
    sql: async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
      (await pool.query<T>(text, values)).rows,
    chain: createFakeChain(random("chain"), genesisBalances(random("genesis"))),
    gone: new Map(),
    isHealed: false,
    known: {
      events: 1,
      writtenAt: new Map(),
      addedAt: new Map(),
      configuredAt: new Map(["native", ...tokens].map((address) => [address, 0])),
      away: new Set(),
      resetAt: -1,
      removed: new Map(),
    },
    judge(who, error) {
      const code = faultIn(error)?.code ?? "";
      scheduler.note(`${who} failed: ${code || String(error)}`);
      if (expectedCodes.has(code)) return;
      failures.push(`${who} threw ${error instanceof Error ? error.stack : String(error)}`);
    },
    async close() {
      await db.$disconnect();
      await pool.end();
    },
  };
}

type Methods = Record<string, (...input: never[]) => Promise<unknown>>;

/**
 * A port of the ledger whose calls wait for their turn, and which fails now and then before a call or after it: then
 * what it should have done is done, and nobody was told.
 */
export function faultyLedger<T extends Methods>(world: World, life: Life, ledger: T): T {
  const random = world.random(`${life.name} database ${world.scheduler.turns()}`);
  const { scheduler, profile } = world;
  const methods = Object.entries(ledger).map(([name, method]) => [
    name,
    (...input: never[]) =>
      scheduler.enter(life, name, async () => {
        if (!world.isHealed && random.chance(profile.databaseBefore)) throw outage("before");
        const value = await method(...input);
        if (!world.isHealed && random.chance(profile.databaseAfter)) throw outage("after");
        return value;
      }),
  ]);
  return Object.fromEntries(methods) as T;
}

function outage(when: "before" | "after"): Fault {
  return new Fault("database_unavailable", `The connection was lost ${when} the commit.`);
}
