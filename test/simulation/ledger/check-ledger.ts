import type { Hash } from "../../../src/domain/chain/block.ts";
import { holdingKey, tokens } from "../chain/addresses.ts";
import type { FakeBlock } from "../chain/fake-chain.ts";
import type { World } from "../world.ts";
import { keyOfRow, type Side, sidesOf } from "./oracle.ts";
import { type HoldingRow, readLedger, type Snapshot, type TransactionRow } from "./read-ledger.ts";

export type Check = {
  world: World;
  snapshot: Snapshot;
  /** From the position down, by height. */
  branch: FakeBlock[];
  fail: (what: string) => void;
};

/**
 * Holds the ledger against the branch it says it is on. Must hold between any two ledger
 * transactions, in the middle of a reorganisation too: what is orphaned is of the old branch,
 * everything else is of this one.
 */
export async function checkLedger(world: World): Promise<Snapshot> {
  const snapshot = await readLedger(world);
  const { fail } = world;
  const check: Check = { world, snapshot, branch: branchOf(world, snapshot, fail), fail };
  checkChain(check);
  checkSums(check);
  if (snapshot.chain.positionNumber !== null) {
    checkTransactions(check);
    checkBalances(check);
  }
  return snapshot;
}

export function branchOf(world: World, snapshot: Snapshot, fail: Check["fail"]): FakeBlock[] {
  const { positionHash, positionNumber } = snapshot.chain;
  if (positionHash === null) return [];
  const branch: FakeBlock[] = [];
  let hash = positionHash as Hash;
  for (;;) {
    const block = world.chain.byHash.get(hash);
    if (block === undefined) break;
    branch.unshift(block);
    hash = block.header.parentHash;
  }
  const top = branch.at(-1);
  if (top?.header.number.toString() !== positionNumber) fail(`no block ${positionHash}`);
  return branch;
}

export function checkChain({ snapshot, branch, fail }: Check): void {
  const { positionNumber, confirmedNumber } = snapshot.chain;
  if (positionNumber === null) return;
  if (confirmedNumber === null || BigInt(confirmedNumber) > BigInt(positionNumber))
    fail(`confirmed ${confirmedNumber} above position ${positionNumber}`);
  for (const { number, hash } of snapshot.blocks) {
    if (branch[Number(number)]?.header.hash !== hash)
      fail(`stored block ${number} is not below the position`);
  }
  if (snapshot.blocks.at(-1)?.number !== positionNumber) fail("the position is not stored");
}

/** What must hold of rows alone. */
export function checkSums({ snapshot, fail }: Check): void {
  for (const holding of snapshot.holdings) {
    const name = nameOf(holding);
    if (holding.entries !== holding.confirmed)
      fail(`${name}: entries ${holding.entries}, confirmed ${holding.confirmed}`);
    if (holding.pending.startsWith("-")) fail(`${name}: pending ${holding.pending}`);
    const incoming = ofHolding(snapshot, holding).filter(
      (row) => row.status === "pending" && row.direction === "in",
    );
    const pending = sum(incoming.map((row) => BigInt(row.amount)));
    if (pending.toString() !== holding.pending)
      fail(`${name}: pending ${holding.pending}, its transactions ${pending}`);
  }
}

function nameOf(of: { walletId: string; address: string; asset: string }): string {
  const asset =
    of.asset === "native" ? "COIN" : `T${(tokens as readonly string[]).indexOf(of.asset)}`;
  return `${of.address.slice(-2)}/${asset} (wallet ${of.walletId})`;
}

function ofHolding(
  snapshot: Snapshot,
  holding: { walletId: string; asset: string },
): TransactionRow[] {
  return snapshot.transactions.filter(
    (row) => row.walletId === holding.walletId && row.asset === holding.asset,
  );
}

function sum(amounts: bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/**
 * Of everything that is watched: what the branch has is in the ledger, once; what it does not have
 * is not.
 */
function checkTransactions(check: Check): void {
  const { snapshot, branch, fail } = check;
  const byAddress = new Map<string, Side[]>();
  for (const side of branch.flatMap(sidesOf)) {
    const of = holdingKey(side.address, side.asset);
    byAddress.set(of, [...(byAddress.get(of) ?? []), side]);
  }
  for (const holding of snapshot.holdings.filter((one) => one.isWatched)) {
    const rows = ofHolding(snapshot, holding).filter(isOnChain);
    const sides = byAddress.get(holdingKey(holding.address, holding.asset)) ?? [];
    const rest = matchRows(check, { holding, rows, sides });
    for (const row of rest) {
      // What nobody looked for while its asset was away stays what it was.
      if (row.status === "completed" && check.world.known.away.has(holding.asset)) continue;
      fail(`${nameOf(holding)}: ${row.status} ${row.txHash} (${row.id}) is not on the branch`);
    }
  }
}

function isOnChain(row: TransactionRow): boolean {
  return !row.orphaned && (row.status === "pending" || row.status === "completed");
}

function matchRows(
  { world, snapshot, fail }: Check,
  of: { holding: HoldingRow; rows: TransactionRow[]; sides: Side[] },
): Set<TransactionRow> {
  const { holding, sides } = of;
  const rest = new Set(of.rows);
  for (const side of sides) {
    const name = `${nameOf(holding)}: ${side.key} of block ${side.block.header.number}`;
    const alike = [...rest].filter((one) => keyOfRow(one) === side.key);
    const row = alike.find((one) => isSamePlace(one, side)) ?? alike[0];
    if (row === undefined) {
      if (isExpected(world, holding, side)) fail(`${name} is missing`);
      continue;
    }
    rest.delete(row);
    const { header } = side.block;
    const isSame = isSamePlace(row, side) && row.amount === side.amountAtomic.toString();
    const isStale = world.known.away.has(holding.asset) && row.status === "completed";
    if (!isSame && !isStale) fail(`${name} is recorded as ${JSON.stringify(row)}`);
    const isDeep = header.number <= BigInt(snapshot.chain.confirmedNumber ?? -1);
    // What began to be watched while its block was being read waits for its proof.
    if (isDeep && row.status !== "completed" && !row.unproven)
      fail(`${name} is deep and ${row.status}`);
  }
  return rest;
}

function isSamePlace(row: TransactionRow, side: Side): boolean {
  const { hash, number } = side.block.header;
  return (
    row.blockHash === hash &&
    row.blockNumber === number.toString() &&
    row.logIndex === side.logIndex &&
    row.tracePath === side.tracePath
  );
}

/** Whether it was watched when its block was written. */
function isExpected(world: World, holding: HoldingRow, side: Side): boolean {
  const { known, atOnce } = world;
  const { hash, number } = side.block.header;
  // Below the height at which watching began is the opening's part, on whatever branch.
  if (holding.since === null || number <= BigInt(holding.since)) return false;
  if (isHidden(world, side)) return false;
  if (atOnce > 1) return true;
  const writtenAt = known.writtenAt.get(hash) ?? -1;
  const addedAt = known.addedAt.get(holding.walletId) ?? Number.POSITIVE_INFINITY;
  const configuredAt = known.configuredAt.get(holding.asset) ?? Number.POSITIVE_INFINITY;
  return writtenAt > Math.max(known.resetAt, addedAt, configuredAt);
}

/**
 * Paid by a contract in a block that was read without traces: a comparison of balances finds it
 * later (decision 123).
 */
function isHidden({ known }: World, { tracePath, block }: Side): boolean {
  return tracePath !== null && known.untraced.has(block.header.hash);
}

/** Confirmed, and what will be, against the chain's own balance at the position. */
function checkBalances({ world, snapshot, branch, fail }: Check): void {
  const position = branch.at(-1);
  if (position === undefined) return;
  for (const holding of snapshot.holdings) {
    if (!holding.isWatched || holding.opening === null) continue;
    if (sidesOfHolding(branch, holding).some((side) => isHidden(world, side))) continue;
    const rows = ofHolding(snapshot, holding);
    const effects = rows.map((row) => {
      const effect = row.direction === "in" ? BigInt(row.amount) : -BigInt(row.amount);
      if (row.status === "pending" && !row.orphaned) return effect;
      return row.status === "completed" && row.orphaned ? -BigInt(row.weight) : 0n;
    });
    const expected = position.balances.get(holdingKey(holding.address, holding.asset)) ?? 0n;
    const actual = BigInt(holding.confirmed) + sum(effects);
    if (actual !== expected) {
      fail(
        `${nameOf(holding)}: comes to ${actual} at ${position.header.number}, the chain has ${expected}` +
          ` (confirmed ${holding.confirmed}, opening ${holding.opening} at ${holding.since}).` +
          ` The ledger has: ${rows.map(toText).join(", ") || "nothing"}.` +
          ` The branch: ${sidesOfHolding(branch, holding).map(sideToText).join(", ") || "nothing"}.`,
      );
    }
  }
}

function toText(row: TransactionRow): string {
  const { txHash, status, orphaned, direction, amount, blockNumber } = row;
  return `${txHash.slice(0, 8)} ${direction} ${amount} in ${blockNumber} ${status}${orphaned ? " orphaned" : ""}`;
}

function sidesOfHolding(branch: FakeBlock[], holding: HoldingRow): Side[] {
  const isOf = (side: Side) => side.address === holding.address && side.asset === holding.asset;
  return branch.flatMap(sidesOf).filter(isOf);
}

function sideToText({ txHash, direction, amountAtomic, block }: Side): string {
  return `${txHash.slice(0, 8)} ${direction} ${amountAtomic} in ${block.header.number}`;
}
