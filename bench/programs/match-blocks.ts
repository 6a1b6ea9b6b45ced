// Loads what is watched, and finds what a block concerns in it: as the daemon does, or by a plain
// Set of strings.

import { randomBytes } from "node:crypto";
import pg from "pg";
import type { LoadedBlock, Movement } from "../../src/domain/money/movement.ts";
import { onlyAnswered } from "../../src/domain/money/movement.ts";
import { createHeadLedger } from "../../src/ledger/watching.ts";
import { matchMovements } from "../../src/watcher/match-movements.ts";
import { openDatabase } from "../../test/support/ledger/database.ts";
import { collectGarbage } from "../process/collect-garbage.ts";
import type { MatchFigures } from "../process/protocol.ts";
import { givenTo, serveParent } from "../process/serve-parent.ts";
import { randomAddress } from "../support/random-address.ts";

type Loaded = Pick<MatchFigures, "loadS" | "memoryMib"> & {
  match: (block: LoadedBlock) => unknown;
};

const { kind, databaseUrl, chainName } = givenTo<"match-blocks">();
/** Of the block's logs: what a quiet deployment sees, and a service's own chain. */
const shares = [0.01, 0.5];
const logs = 1_000;
/**
 * Enough that the compiler has done its work. Each of a block of its own, made just before, as a
 * decoder makes it.
 */
const repetitions = 200;

const { loadS, memoryMib, match } = await (kind === "ours" ? loadWatchlist() : loadSet());
const watched = await readAddresses(logs);
const matchMs = Object.fromEntries(shares.map((share) => [share, medianMs(share)]));
serveParent<"match-blocks">({ loadS, memoryMib, matchMs });

function medianMs(share: number): number {
  const times = Array.from({ length: repetitions }, () => {
    const block = blockOf(share);
    const startedMs = performance.now();
    match(block);
    return performance.now() - startedMs;
  });
  return times.sort((a, b) => a - b)[repetitions >> 1] ?? Number.NaN;
}

/** The block is as decoded; the first of its transfers go to addresses that are watched. */
function blockOf(share: number): LoadedBlock {
  const movements = Array.from({ length: logs }, (_, logIndex): Movement => {
    const known = logIndex < logs * share ? watched[logIndex] : undefined;
    return {
      kind: "transfer",
      asset: "native",
      txHash: randomHash(),
      from: randomAddress(),

      to: known === undefined ? randomAddress() : copyOf(known),

      amountAtomic: 1n,
      logIndex,
      tracePath: null,
    };
  });
  const header = { number: 10n, hash: randomHash(), parentHash: randomHash() };
  return {
    header: { ...header, timeMs: 1_700_000_000_000 },
    movements,
    evidence: onlyAnswered,
    host: "node",
  };
}

function randomHash(): `0x${string}` {
  return `0x${randomBytes(32).toString("hex")}`;
}

/** The same text in a string of its own, as one that was cut out of an answer. */
function copyOf(text: string): `0x${string}` {
  return `0x${Buffer.from(text.slice(2), "hex").toString("hex")}`;
}

async function loadWatchlist(): Promise<Loaded> {
  const ledger = createHeadLedger(openDatabase({ databaseUrl, poolSize: 2 }));
  // Everything that is not the list is there before it is weighed.
  await ledger.readWatchlist("unknown").catch(() => {});
  const { value: list, ...cost } = await weigh(() => ledger.readWatchlist(chainName));
  return { ...cost, match: (block) => matchMovements(chainName, block, list) };
}

async function loadSet(): Promise<Loaded> {
  const { value: set, ...cost } = await weigh(async () => {
    const query = "SELECT address FROM wallet WHERE chain_name = $1 AND removed_at IS NULL";
    return new Set(await queryAddresses(query, [chainName]));
  });
  const isWatched = ({ from, to }: Movement) => set.has(from) || set.has(to);
  return { ...cost, match: ({ movements }) => movements.filter(isWatched).length };
}

async function weigh<T>(load: () => Promise<T>) {
  const before = memoryBytes();
  const startedMs = performance.now();
  const value = await load();
  const loadS = (performance.now() - startedMs) / 1_000;
  return { value, loadS, memoryMib: (memoryBytes() - before) / 2 ** 20 };
}

function memoryBytes(): number {
  for (let times = 0; times < 3; times += 1) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function readAddresses(count: number): Promise<string[]> {
  const query = "SELECT address FROM wallet WHERE chain_name = $1 ORDER BY id DESC LIMIT $2";
  return queryAddresses(query, [chainName, count]);
}

async function queryAddresses(text: string, values: unknown[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<[string]>({ text, values, rowMode: "array" });
    return rows.map(([address]) => address);
  } finally {
    await client.end();
  }
}
