// Loads what is watched in a process of its own, and says what that took: as the daemon does, or as a plain Set of strings.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { nativeAddress } from "../../dist/domain/money/movement.js";
import { openDatabase } from "../../dist/ledger/postgres/database.js";
import { readWatchlist } from "../../dist/ledger/watchlist/read-watchlist.js";
import { matchMovements } from "../../dist/watcher/match-movements.js";

const [kind, databaseUrl, chainName] = process.argv.slice(2);
const contenders = { ours: loadWatchlist, set: loadSet };
/** Of the block's logs: what a quiet deployment sees, and a service's own chain. */
const shares = [0.01, 0.5];
const logs = 1_000;
/** Enough that the compiler has done its work. Each of a block of its own, made just before, as a decoder makes it. */
const repetitions = 200;

const { loadS, memoryMib, some, match } = await contenders[kind]();
const matchMs = Object.fromEntries(shares.map((share) => [share, medianMs(match, share)]));
process.send({ loadS, memoryMib, matchMs }, () => process.exit(0));

/** The block is as decoded; the first of its transfers go to addresses that are watched. */
function blockOf(share) {
  const hash = () => `0x${randomBytes(32).toString("hex")}`;
  const address = () => `0x${randomBytes(20).toString("hex")}`;
  const movements = Array.from({ length: logs }, (_, logIndex) => {
    const to = logIndex < logs * share ? copyOf(some[logIndex]) : address();
    const [asset, txHash, from] = [nativeAddress, hash(), address()];
    return {
      kind: "transfer",
      asset,
      txHash,
      from,
      to,
      amountAtomic: 1n,
      logIndex,
      tracePath: null,
    };
  });
  const header = { number: 10n, hash: hash(), parentHash: hash(), timeMs: 1_700_000_000_000 };
  return { header, movements };
}

/** The same text in a string of its own, as one that was cut out of an answer. */
function copyOf(text) {
  return `0x${Buffer.from(text.slice(2), "hex").toString("hex")}`;
}

function medianMs(match, share) {
  const times = Array.from({ length: repetitions }, () => {
    const block = blockOf(share);
    const startedMs = performance.now();
    match(block);
    return performance.now() - startedMs;
  });
  return times.sort((a, b) => a - b)[repetitions >> 1];
}

async function loadWatchlist() {
  const db = openDatabase({ databaseUrl, poolSize: 2 });
  // Everything that is not the list is there before it is weighed.
  await readWatchlist(db, "none").catch(() => {});
  const { value: list, ...cost } = await weigh(() => readWatchlist(db, chainName));
  const some = await addressesOf(logs);
  return { ...cost, some, match: (block) => matchMovements(chainName, block, list) };
}

async function loadSet() {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { value: set, ...cost } = await weigh(async () => {
    const query = "SELECT address FROM wallet WHERE chain_name = $1 AND removed_at IS NULL";
    const { rows } = await client.query({ text: query, values: [chainName], rowMode: "array" });
    return new Set(rows.map(([address]) => address));
  });
  await client.end();
  const some = await addressesOf(logs);
  const match = ({ movements }) =>
    movements.filter(({ from, to }) => set.has(from) || set.has(to)).length;
  return { ...cost, some, match };
}

async function weigh(load) {
  const before = memoryBytes();
  const startedMs = performance.now();
  const value = await load();
  const loadS = (performance.now() - startedMs) / 1_000;
  return { value, loadS, memoryMib: (memoryBytes() - before) / 2 ** 20 };
}

function memoryBytes() {
  for (let times = 0; times < 3; times += 1) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function addressesOf(count) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    "SELECT address FROM wallet WHERE chain_name = $1 ORDER BY id DESC LIMIT $2",
    [chainName, count],
  );
  await client.end();
  return rows.map(({ address }) => address);
}
