import { type AssetKind, isMeasured } from "../../domain/money/asset.ts";
import { isOnChain, type TransactionStatus } from "../../domain/money/transaction.ts";
import {
  confirmation,
  type Entry,
  effectOf,
  moveBalances,
  pendingMoves,
  readWeights,
  type ThresholdBalances,
} from "../balances/move-balances.ts";
import { pricedColumns, pricedNow } from "../balances/usd-value.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral, byteaArray } from "../postgres/array-literal.ts";
import type { Statements } from "../postgres/statements.ts";
import { moveTransactions } from "./move-transactions.ts";
import { sealFacts } from "./seal-facts.ts";
import type { MovedRow, TransactionRow } from "./transaction-row.ts";
import { goneStatuses } from "./transaction-words.ts";

type Known = {
  id: string;
  status: TransactionStatus;
  round: number;
  /** The amount in the block that the transaction was last seen in. */
  amountBefore: bigint;
  blockHashBefore: string;
  /** The digest of what a completed one said; null: it is not completed. */
  factsBefore: string | null;
  assetKind: AssetKind;
};

type KnownRow = TransactionRow & Known;

/** The transactions that the ledger has, by identity. */
export type KnownTransactions = ReadonlyMap<string, Known>;

/**
 * Moves transactions that the ledger has already, by their identity, to the block they are in now.
 * An orphaned one stays what it was. A dropped or reversed one is pending again under the same id
 * (docs/invariants.md#i3). Its amount may be another one there: a fee goes by the block's price of
 * gas. A transaction that is held as unproven in the very same block stays held, whoever reads that
 * block again. Only the check of its balances lets it go (see acceptProven). Balances with a
 * threshold that this moves are added to `touched`. `known` was read of these rows under the
 * chain's lock.
 * @returns those that are new, and those that are pending again, not yet counted in any balance
 */
export async function moveKnown(
  tx: Statements,
  rows: readonly TransactionRow[],
  known: KnownTransactions,
  touched: ThresholdBalances,
): Promise<{ fresh: readonly TransactionRow[]; revived: readonly TransactionRow[] }> {
  if (known.size === 0) return { fresh: rows, revived: [] };
  const again = rows.flatMap((row) => {
    const before = known.get(row.identity);
    return before === undefined ? [] : [asBefore({ ...row, ...before })];
  });
  await correctBalances(tx, again, touched);
  await moveToBlock(tx, again);
  await sealAgain(tx, again);
  return {
    fresh: rows.filter(({ identity }) => !known.has(identity)),
    revived: again.filter(({ status }) => !isOnChain(status)),
  };
}

/**
 * Keeps a measured amount when the very block that it was measured in is read again. The state that
 * it was measured in may be gone by then, and the rest may have been adjusted.
 */
function asBefore(row: KnownRow): KnownRow {
  const { assetKind, blockHashBefore, blockHash, amountBefore } = row;
  const isKept = isMeasured(assetKind) && blockHashBefore === blockHash;
  return isKept ? { ...row, amountAtomic: amountBefore } : row;
}

/**
 * Brings back dropped and reversed transactions that a history has found on the chain. A reorg
 * moved them to where their wallet or asset was not watched yet. They are ordinary transactions as
 * before, and no part of the history: the business has seen them, and may have been notified that
 * they are gone. They are completed at once, and no balance moves. The opening includes them, so
 * the entries of each come to nothing (see readWeights). Others stay as they are. `known` was read
 * of these rows under the chain's lock.
 * @returns those that are back, to be notified, in the order of the chain
 */
export async function bringBack(
  tx: Statements,
  rows: readonly TransactionRow[],
  known: KnownTransactions,
): Promise<readonly MovedRow[]> {
  const gone = rows.flatMap((row) => {
    const before = known.get(row.identity);
    return before === undefined || isOnChain(before.status) ? [] : [{ ...row, ...before }];
  });
  if (gone.length === 0) return [];
  await moveToBlock(tx, gone);
  const back = await moveTransactions(
    tx,
    Prisma.sql`
      SET status = 'completed', completed_at = now(), confirmed_alone = false, (${pricedColumns}) = ${pricedNow}
      WHERE id = ANY(${arrayLiteral(gone.map(({ id }) => id))}::uuid[])`,
  );
  const entries = back.flatMap((row): Entry[] => {
    const counted = confirmation(row);
    return [counted, { ...counted, kind: "reversal", effectAtomic: -counted.effectAtomic }];
  });
  await moveBalances(tx, { entries, pending: [] }, []);
  return back;
}

/** Reads the transactions of these identities. Under the chain's lock, or sent behind it. */
export async function readKnown(
  queryRaw: Statements["$queryRaw"],
  rows: readonly { identity: string }[],
): Promise<KnownTransactions> {
  if (rows.length === 0) return new Map();
  const identities = byteaArray(rows.map(({ identity }) => identity));
  const found = await queryRaw<
    (Omit<Known, "amountBefore"> & { identity: string; amount: string })[]
  >`
    SELECT encode(t.identity, 'hex') AS identity, t.id, t.status, t.round, t.amount::text, t.block_hash AS "blockHashBefore", a.kind AS "assetKind",
      CASE WHEN t.status = 'completed' THEN encode(transaction_facts(t), 'hex') END AS "factsBefore"
    FROM transaction t JOIN asset a ON a.id = t.asset_id
    WHERE t.identity = ANY(${identities}::bytea[])`;
  return new Map(
    found.map(({ identity, amount, ...known }) => [
      identity,
      { ...known, amountBefore: BigInt(amount) },
    ]),
  );
}

/**
 * Lets those that are counted already weigh what they are here. A completed one may weigh something
 * else, or nothing at all (see readWeights).
 */
async function correctBalances(
  tx: Statements,
  again: readonly KnownRow[],
  touched: ThresholdBalances,
): Promise<void> {
  const pending = again.filter(
    ({ status, amountAtomic, amountBefore }) =>
      status === "pending" && amountAtomic !== amountBefore,
  );
  const before = pending.map((row) => ({ ...row, amountAtomic: row.amountBefore }));
  const completed = again.filter(({ status }) => status === "completed");
  const weights = await readWeights(tx, completed);
  const entries = completed.flatMap((row) => {
    const weight = weights.get(row.id) ?? 0n;
    if (weight === effectOf(row)) return [];
    const taken = { ...confirmation(row), kind: "reversal" as const, effectAtomic: -weight };
    return weight === 0n ? [confirmation(row)] : [taken, confirmation(row)];
  });
  const pendingChange = [...pendingMoves(before, -1n), ...pendingMoves(pending, 1n)];
  await moveBalances(tx, { entries, pending: pendingChange }, touched);
}

async function moveToBlock(tx: Statements, rows: readonly TransactionRow[]): Promise<void> {
  const column = (read: (row: TransactionRow) => string | number | bigint | null) =>
    arrayLiteral(rows.map(read));
  await tx.$executeRaw`
    UPDATE transaction t SET
      orphaned = false,
      status = CASE WHEN t.status IN (${goneStatuses}) THEN 'pending' ELSE t.status END,
      completed_at = CASE WHEN t.status IN (${goneStatuses}) THEN NULL ELSE t.completed_at END,
      unproven = (r.unproven OR (t.unproven AND t.block_hash = r.block_hash)) AND t.status <> 'completed',
      amount = r.amount, usd_value = CASE WHEN t.amount = r.amount THEN t.usd_value END,
      price_source = CASE WHEN t.amount = r.amount THEN t.price_source END,
      price_as_of = CASE WHEN t.amount = r.amount THEN t.price_as_of END,
      moved_at = CASE WHEN t.block_hash = r.block_hash THEN t.moved_at ELSE now() END,
      block_number = r.block_number, block_hash = r.block_hash, block_time = r.block_time,
      ordinal = r.ordinal, log_index = r.log_index, trace_path = r.trace_path, proof = r.proof
    FROM unnest(${column(({ id }) => id)}::uuid[], ${column(({ amountAtomic }) => amountAtomic)}::numeric[],
      ${column(({ blockNumber }) => blockNumber)}::bigint[], ${column(({ blockHash }) => blockHash)}::text[],
      ${column(({ blockTime }) => blockTime)}::timestamptz[], ${column(({ ordinal }) => ordinal)}::int[],
      ${column(({ logIndex }) => logIndex)}::int[], ${column(({ tracePath }) => tracePath)}::text[],
      ${column(({ isUnproven }) => String(isUnproven))}::boolean[], ${column(({ proof }) => proof)}::text[]
    ) AS r(id, amount, block_number, block_hash, block_time, ordinal, log_index, trace_path, unproven, proof)
    WHERE t.id = r.id`;
}

/** A completed one that says something else now, and got no entry for it, is sealed as it is. */
async function sealAgain(tx: Statements, rows: readonly KnownRow[]): Promise<void> {
  const completed = rows.filter(({ factsBefore }) => factsBefore !== null);
  const [row] = completed;
  if (row === undefined) return;
  const ids = arrayLiteral(completed.map(({ id }) => id));
  const facts = arrayLiteral(completed.map(({ factsBefore }) => factsBefore));
  const moved = await tx.$queryRaw<{ id: string }[]>`
    SELECT t.id FROM unnest(${ids}::uuid[], ${facts}::text[]) AS r(id, facts) JOIN transaction t ON t.id = r.id
    WHERE encode(transaction_facts(t), 'hex') <> r.facts`;
  await sealFacts(
    tx,
    row.chainName,
    moved.map(({ id }) => id),
  );
}
