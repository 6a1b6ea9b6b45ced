import pg from "pg";
import { type Keccak, loadKeccak256 } from "../../src/chain/proof/hashing/keccak.ts";
import { Fault, faultIn } from "../../src/domain/fault.ts";
import type { TracingHosts } from "../../src/domain/watch/chain-source.ts";
import { type Database, openDatabase } from "../support/ledger/database.ts";
import { tokens } from "./chain/addresses.ts";
import { createFakeChain, type FakeChain } from "./chain/fake-chain.ts";
import { genesisBalances } from "./chain/traffic.ts";
import { seedIds } from "./ledger/seeded-ids.ts";
import { drawProfile, type Profile } from "./profile.ts";
import { createRandom } from "./random.ts";
import { createScheduler, type Life, type Scheduler } from "./scheduler.ts";
import { createWays, type Ways } from "./streams/ways.ts";
import type { Cast } from "./trial/cast.ts";
import { castFor, kindOf } from "./trial/kinds.ts";
import { createSpells, type Spells } from "./trial/spells.ts";

export const chainName = "simulated";

/** Everything that one run shares. */
export type World = {
  seed: number;
  databaseUrl: string;
  /** See simulate. */
  atOnce: number;
  profile: Profile;
  cast: Cast;
  scheduler: Scheduler;
  random: (name: string) => ReturnType<typeof createRandom>;
  keccak: Keccak;
  db: Database;
  sql: <T extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<T[]>;
  /** Lets the database's clock say what the scheduler's says. */
  tellTime: () => Promise<void>;
  chain: FakeChain;
  /** Which endpoints have traced: it outlives each process. */
  tracingHosts: TracingHosts;
  /** What its endpoints are doing at the moment. */
  spells: Spells;
  /** The oracle of many webhooks; null: each business has one. */
  ways: Ways | null;
  /** The greatest height that any branch has reached. */
  tallest: () => number;
  isHealed: boolean;
  /** What the run itself knows of what was watched when. */
  known: Known;
  /** Rises with every change of the ledger. */
  changes: number;
  /** What should never have happened. */
  failures: string[];
  fail: (what: string) => void;
  /** Takes note of an error that a step threw: an injected or expected one is none. */
  judge: (who: string, error: unknown) => void;
  /**
   * Takes note of all that the run knows of the ledger. What it answers makes the run know just
   * that again, once the ledger is as it was.
   */
  remember: () => () => void;
  close: () => Promise<void>;
};

/** Order of events that matter to what must be in the ledger; an event's number is its place. */
type Known = {
  events: number;
  /** By block hash: when the block was last written to the ledger. */
  writtenAt: Map<string, number>;
  /** Hashes of blocks that were last read without traces, until comparisons have found all. */
  untraced: Set<string>;
  /** By wallet id. */
  addedAt: Map<string, number>;
  /** The addresses of all wallets that were ever added. */
  watched: Set<string>;
  /** By asset address, of what is configured now. */
  configuredAt: Map<string, number>;
  /** Assets that were once taken out of the configuration. */
  away: Set<string>;
  resetAt: number;
  /** The height that a new branch must reach before what it lacks is settled as gone. */
  settleAt: bigint;
  /** By wallet id: the transactions it had when it was removed. */
  removed: Map<string, string>;
  /** How often several blocks were written at once. */
  ranges: number;
  /** How often ledger and chain were compared to the end, and at which height the last time. */
  reconciled: number;
  comparedAt: bigint;
};

/**
 * What the faults of this simulation look like to those who meet them, and what may follow from
 * them.
 */
const expectedCodes = new Set([
  "rpc_unavailable",
  "rpc_inconsistent",
  "state_unavailable",
  "database_unavailable",
  "queue_unavailable",
  "wrong_chain_id",
  "wallet_exists",
  "webhook_not_found",
  "webhook_inactive",
  "delivery_in_flight",
  "rate_limited",
]);

/**
 * What a lie may look like: a chain to be stopped, an endpoint to be refused, a block of a form
 * that is not known.
 */
const codesOfLies = new Set(["chain_stopped", "wrong_genesis", "block_unreadable"]);

export async function createWorld(options: {
  seed: number;
  databaseUrl: string;
  atOnce: number;
}): Promise<World> {
  const { seed, databaseUrl, atOnce } = options;
  const random = (name: string) => createRandom(seed, name);
  seedIds(random("ids"));
  const keccak = await loadKeccak256();
  const { cast, profile } = castFor(
    random("cast"),
    drawProfile(random("profile")),
    kindOf(random("kind")),
  );
  const db = openDatabase({ databaseUrl, poolSize: 6 });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  // A restore ends every connection.
  pool.on("error", () => {});
  const failures: string[] = [];
  // Ahead of the real clock, which a few columns are filled in by.
  const scheduler = createScheduler(random("order"), Date.now() + 60 * 60_000);
  const sql = async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await pool.query<T>(text, values)).rows;
  const fail = (what: string) => {
    scheduler.note(`FAILURE ${what}`);
    failures.push(`at turn ${scheduler.turns()}: ${what}`);
  };
  let loggedMs = 0;
  const watched = new Set<string>();
  const chain = createFakeChain(random("chain"), keccak, {
    genesisBalances: genesisBalances(random("genesis")),

    finalLag: cast.finalLag,
    forks: cast.forks,
    blockMs: cast.blockMs,
  });
  await pool.query(virtualClock);
  await pool.query(withVirtualClock(new URL(databaseUrl).pathname.slice(1)));
  const isExpected = (code: string) =>
    expectedCodes.has(code) ||
    (cast.liar !== null && codesOfLies.has(code)) ||
    (cast.forks.length > 0 && code === "block_unreadable");
  const world: World = {
    seed,
    databaseUrl,
    atOnce,
    profile,
    cast,
    random,
    keccak,
    db,
    failures,
    fail,
    scheduler,
    sql,
    async tellTime() {
      const nowMs = scheduler.now();
      if (nowMs === loggedMs) return;
      loggedMs = nowMs;
      await sql("UPDATE virtual.clock SET at = to_timestamp($1::float8 / 1000)", [nowMs]);
    },
    chain,
    tracingHosts: rememberHosts(),
    spells: createSpells({ cast, scheduler, chain, keccak, random, watched: () => [...watched] }),
    ways:
      cast.streams === null
        ? null
        : createWays({ sql, fail, random: random("receivers of streams"), isExact: atOnce === 1 }),
    tallest: () =>
      Math.max(...[...chain.byHash.values()].map(({ header }) => Number(header.number))),
    isHealed: false,
    changes: 0,
    known: {
      events: 1,
      writtenAt: new Map(),
      untraced: new Set(),
      addedAt: new Map(),
      watched,
      configuredAt: new Map(["native", ...tokens].map((address) => [address, 0])),
      away: new Set(),
      resetAt: -1,
      settleAt: 0n,
      removed: new Map(),

      ranges: 0,
      reconciled: 0,
      comparedAt: -1n,
    },
    judge(who, error) {
      const code = faultIn(error)?.code ?? "";
      const said = error instanceof Error ? error.message : String(error);
      scheduler.note(`${who} failed: ${code} ${said}`);
      if (!isExpected(code)) {
        fail(`${who} threw ${error instanceof Error ? (error.stack ?? said) : said}`);
      }
    },
    remember() {
      const known = structuredClone(world.known);
      const recallWays = world.ways?.remember();
      return () => {
        Object.assign(world.known, known, { watched });
        recallWays?.();
        world.changes += 1;
        loggedMs = 0;
      };
    },
    async close() {
      await db.$disconnect();
      await pool.end();
    },
  };
  return world;
}

function rememberHosts(): TracingHosts {
  const hosts = new Set<string>();
  return {
    read: async () => [...hosts],
    async add(host) {
      hosts.add(host);
    },
  };
}

const virtualClock = `
  CREATE SCHEMA virtual;
  CREATE TABLE virtual.clock (at timestamptz NOT NULL);
  INSERT INTO virtual.clock VALUES (pg_catalog.now());
  CREATE FUNCTION virtual.now() RETURNS timestamptz STABLE LANGUAGE sql AS 'SELECT at FROM virtual.clock';
  CREATE FUNCTION virtual.statement_timestamp() RETURNS timestamptz STABLE LANGUAGE sql AS 'SELECT at FROM virtual.clock'`;

/** Found before PostgreSQL's own by every connection that is made from now on. */
export const withVirtualClock = (name: string): string =>
  `ALTER DATABASE "${name}" SET search_path = virtual, pg_catalog, public`;

type Methods = Record<string, (...input: never[]) => Promise<unknown>>;

/**
 * A port of the ledger whose calls wait for their turn, and which fails now and then before a call
 * or after it: then what it should have done is done, and nobody was informed.
 */
export function faultyLedger<T extends Methods>(world: World, life: Life, ledger: T): T {
  const random = world.random(`${life.name} database ${world.scheduler.turns()}`);
  const { scheduler, profile } = world;
  const methods = Object.entries(ledger).map(([name, method]) => [
    name,
    (...input: never[]) =>
      scheduler.enter(life, name, async () => {
        if (!world.isHealed && random.chance(profile.databaseBefore)) throw outage("before");
        await world.tellTime();
        const value = await method(...input);
        await world.ways?.judge(world.changes);
        if (!world.isHealed && random.chance(profile.databaseAfter)) throw outage("after");
        return value;
      }),
  ]);
  return Object.fromEntries(methods) as T;
}

function outage(when: "before" | "after"): Fault {
  return new Fault("database_unavailable", `The connection was lost ${when} the commit.`);
}
