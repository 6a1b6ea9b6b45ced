import { type AssetKind, isMeasured } from "../../domain/money/asset.ts";
import { isOnChain, signedAmount, type TransactionStatus } from "../../domain/money/transaction.ts";
import {
  confirmation,
  type Entry,
  moveBalances,
  pendingMoves,
  readWeights,
  type ThresholdEntries,
} from "../balances/move-balances.ts";
import { pricedColumns, pricedNow } from "../balances/usd-value.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral, byteaArray } from "../postgres/array-literal.ts";
import { preparedByIndex } from "../postgres/statement.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";
import { moveTransactions } from "./move-transactions.ts";
import { sealFacts } from "./seal-facts.ts";
import type { MovedRow, TransactionRow } from "./transaction-row.ts";
import { goneStatuses } from "./transaction-words.ts";

type Known = {
  id: string;
  status: TransactionStatus;
  round: number;
  /** The amount in the block in which the transaction was last seen. */
  amountBefore: bigint;
  blockNumberBefore: bigint;
  blockHashBefore: string;
  /** True if that block was undone, and nothing has settled the transaction since. */
  isOrphaned: boolean;
  /** The digest of a completed transaction's facts; null: it is not completed. */
  factsBefore: string | null;
  assetKind: AssetKind;
  /** True if the transaction is from before its wallet was watched. */
  isHistory: boolean;
};

type KnownRow = TransactionRow & Known;

/** The transactions that the ledger knows, by identity. */
export type KnownTransactions = ReadonlyMap<string, Known>;

/**
 * Moves known transactions to the block that they are in now. An orphaned one keeps its status. A
 * dropped or reversed one becomes pending again, under the same id (docs/invariants.md#i3). An
 * amount may differ in the new block: a fee depends on the block's gas price (see asBefore). A fee
 * that is in a later block stays there (see isInLater).
 *
 * One of a history that is now in a block that is watched counts as new. The chain was rewound, and
 * has another branch since.
 *
 * A transaction that waits for its proof keeps waiting if it is read again in the same block. Only
 * the check of its balances ends that wait (see acceptProven). Adds entries of balances with a
 * threshold to `touched`. The caller must have read `known` for these rows under the chain's lock.
 * @returns the new transactions, and those that are pending again, which no balance counts yet
 */
export async function moveKnown(
  tx: TxStatements,
  rows: readonly TransactionRow[],
  known: KnownTransactions,
  touched: ThresholdEntries,
): Promise<{ fresh: readonly TransactionRow[]; revived: readonly TransactionRow[] }> {
  if (known.size === 0) return { fresh: rows, revived: [] };
  const past = [...known.values()].filter(({ isHistory }) => isHistory).map(({ id }) => id);
  if (past.length > 0)
    await tx.$executeRaw`DELETE FROM transaction WHERE id = ANY(${arrayLiteral(past)}::uuid[])`;
  const isNew = ({ identity }: TransactionRow) => known.get(identity)?.isHistory ?? true;
  const again = rows.flatMap((row) => {
    const before = known.get(row.identity);
    const isLeft = before === undefined || isNew(row) || isInLater(row, before);
    return isLeft ? [] : [asBefore({ ...row, ...before })];
  });
  await correctBalances(tx, again, touched);
  await moveToBlock(tx, again);
  await sealAgain(tx, again);
  return {
    fresh: rows.filter(isNew),
    revived: again.filter(({ status }) => !isOnChain(status)),
  };
}

/**
 * True of a fee that is in a later block of the chain. On some chains two blocks hold one hash, and
 * the transaction failed in one of them. Only its fee is in both. The earlier block may be read
 * again alone, and nothing would then bring the fee back.
 */
function isInLater({ type, blockNumber }: TransactionRow, before: Known): boolean {
  const isThere = isOnChain(before.status) && !before.isOrphaned;
  return type === "fee" && isThere && before.blockNumberBefore > blockNumber;
}

/**
 * Keeps the amount in three cases:
 * - It was measured, and the same block is read again. The state by which it was measured may be
 *   gone, and the balance may have been adjusted to the amount.
 * - It was measured, and is confirmed. In another block the transfer may bring another amount. But
 *   the business was notified of this one, so an adjustment corrects the rest.
 * - The transaction is completed, the same block is read again, and the balances do not show the
 *   new amount. A completed transaction does not wait for a proof, so an unproved amount must not
 *   replace a proved one.
 */
function asBefore(row: KnownRow): KnownRow {
  const { assetKind, blockHashBefore, blockHash, amountBefore, status, isUnproven } = row;
  const isSameBlock = blockHashBefore === blockHash;
  const isCompleted = status === "completed";
  const isKept = isMeasured(assetKind)
    ? isSameBlock || isCompleted
    : isSameBlock && isCompleted && isUnproven;
  return isKept ? { ...row, amountAtomic: amountBefore } : row;
}

/**
 * Brings back dropped and reversed transactions that a history has found on the chain. They were
 * included again in a block in which their asset was not configured. They become ordinary
 * transactions again, not part of the history. The business knows them, and may have been notified
 * that they are gone.
 *
 * They are completed at once. No balance changes, since the opening includes them: each gets two
 * entries that cancel out (see readWeights). Other rows stay unchanged. The caller must have read
 * `known` for these rows under the chain's lock.
 * @returns the transactions that are back, to be notified, in the order of the chain
 */
export async function bringBack(
  tx: TxStatements,
  rows: readonly TransactionRow[],
  known: KnownTransactions,
): Promise<readonly MovedRow[]> {
  const gone = rows.flatMap((row) => {
    const before = known.get(row.identity);
    return before === undefined || isOnChain(before.status)
      ? []
      : [asBefore({ ...row, ...before })];
  });
  if (gone.length === 0) return [];
  await moveToBlock(tx, gone);
  const back = await moveTransactions(
    tx,
    Prisma.sql`
      SET status = 'completed', completed_at = now(), (${pricedColumns}) = ${pricedNow}
      WHERE id = ANY(${arrayLiteral(gone.map(({ id }) => id))}::uuid[])`,
  );
  const entries = back.flatMap((row): Entry[] => {
    const counted = confirmation(row);
    return [counted, { ...counted, kind: "reversal", effectAtomic: -counted.effectAtomic }];
  });
  await moveBalances(tx, { entries, pending: [] }, []);
  return back;
}

/**
 * Reads the transactions with these identities. The caller holds the chain's lock, or sends this
 * right after it.
 */
export async function readKnown(
  queryRaw: Statements["$queryRaw"],
  rows: readonly { identity: string }[],
): Promise<KnownTransactions> {
  if (rows.length === 0) return new Map();
  const identities = byteaArray(rows.map(({ identity }) => identity));
  const found = await queryRaw<
    (Omit<Known, "amountBefore"> & { identity: string; amount: string })[]
  >`
    ${preparedByIndex} SELECT encode(t.identity, 'hex') AS identity, t.id, t.status, t.round, t.amount::text, t.block_number AS "blockNumberBefore", t.block_hash AS "blockHashBefore", t.orphaned AS "isOrphaned", a.kind AS "assetKind", t.is_history AS "isHistory",
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
 * Corrects what transactions weigh after their amounts changed. A completed transaction may have
 * another weight than its amount, or none (see readWeights).
 */
async function correctBalances(
  tx: TxStatements,
  again: readonly KnownRow[],
  touched: ThresholdEntries,
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
    if (weight === signedAmount(row)) return [];
    const taken = { ...confirmation(row), kind: "reversal" as const, effectAtomic: -weight };
    return weight === 0n ? [confirmation(row)] : [taken, confirmation(row)];
  });
  const pendingChange = [...pendingMoves(before, -1n), ...pendingMoves(pending, 1n)];
  await moveBalances(tx, { entries, pending: pendingChange }, touched);
}

/**
 * Moves each transaction to its block. `confirmed_alone` belongs to the block, so another block
 * removes it.
 */
async function moveToBlock(tx: Statements, rows: readonly TransactionRow[]): Promise<void> {
  const column = (read: (row: TransactionRow) => string | number | bigint | null) =>
    arrayLiteral(rows.map(read));
  await tx.$executeRaw`
    UPDATE transaction t SET
      orphaned = false,
      status = CASE WHEN t.status IN (${goneStatuses}) THEN 'pending' ELSE t.status END,
      completed_at = CASE WHEN t.status IN (${goneStatuses}) THEN NULL ELSE t.completed_at END,
      confirmed_alone = t.confirmed_alone AND t.block_hash = r.block_hash AND t.status NOT IN (${goneStatuses}),
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

/** Seals completed transactions again whose facts changed without a new entry. */
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
