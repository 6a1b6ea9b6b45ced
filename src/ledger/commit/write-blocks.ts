import type { Position } from "../../domain/chain/block.ts";
import type { MatchedBlock } from "../../domain/money/matched-transaction.ts";
import type { Written, WrittenIds } from "../../domain/watch/commit.ts";
import {
  confirmation,
  moveBalances,
  pendingMoves,
  type ThresholdEntries,
} from "../balances/move-balances.ts";
import { pricedColumns, pricedNow } from "../balances/usd-value.ts";
import { Prisma } from "../generated/client.ts";
import { type EnteredBy, notify } from "../notifications/notify.ts";
import { notifyCrossings } from "../notifications/notify-crossings.ts";
import { preparedByIndex } from "../postgres/statement.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { recordSightings } from "../sightings/record-sightings.ts";
import { insertTransactions } from "../transactions/insert-transactions.ts";
import {
  type KnownTransactions,
  moveKnown,
  readKnown,
} from "../transactions/known-transactions.ts";
import { markConfirmedAlone } from "../transactions/mark-confirmed-alone.ts";
import { moveTransactions } from "../transactions/move-transactions.ts";
import { asShownBefore } from "../transactions/shown-before.ts";
import {
  type IdSource,
  type MovedRow,
  type TransactionRow,
  toTransactionRows,
} from "../transactions/transaction-row.ts";
import {
  findTaken,
  keepUnsearched,
  nothingSettled,
  settleReorg,
  settleTaken,
  together,
} from "./settle-reorg.ts";

type Writing = {
  chain: IdSource;
  /** Consecutive, oldest first. Empty: only written transactions are confirmed. */
  blocks: readonly MatchedBlock[];
  /** Transactions at or below this height become confirmed; null: none. */
  confirmTo: bigint | null;
  /** Only one endpoint confirms what is above this height; null: nothing is so. */
  aloneAbove: bigint | null;
  /** True if a business that asked for it is notified of pending transactions. */
  notifiesPending: boolean;
  /** The end of the new branch if it is as high as the branch that it replaced; else null. */
  settles: Position | null;
  /**
   * Earlier entries of the caller's transaction for balances with a threshold. Left out: there are
   * none.
   */
  touched?: ThresholdEntries;
  /** The blocks' transactions that the ledger has already. Left out: they are read. */
  known?: KnownTransactions | undefined;
};

/**
 * Writes the contents of blocks, and what follows from the confirmed height, in ledger order. That
 * is transactions, balances, entries, notifications with their deliveries, and sightings. The
 * caller holds the chain's lock, and moves the position in the same transaction.
 */
export async function writeBlocks(
  tx: TxStatements,
  writing: Writing,
): Promise<Written & { ids: WrittenIds }> {
  const { chain, confirmTo, aloneAbove, notifiesPending } = writing;
  const chainName = chain.name;
  const touched = [...(writing.touched ?? [])];
  const blocks = await asShownBefore(tx, chainName, writing.blocks);
  const rows = toTransactionRows(chain, blocks);
  const areAsRead = blocks === writing.blocks;
  const known = (areAsRead ? writing.known : null) ?? (await readKnown(tx.$queryRaw, rows));
  const { fresh, revived } = await moveKnown(tx, rows, known, touched);
  const { settles } = writing;
  if (settles !== null) await keepUnsearched(tx, chainName, settles, touched);
  const settled = settles === null ? nothingSettled : await settleReorg(tx, chainName, touched);
  insertTransactions(tx, fresh, confirmTo);
  recordSightings(tx, chain, writing.blocks);
  if (confirmTo !== null && aloneAbove !== null)
    await markConfirmedAlone(tx, { chainName, above: aloneAbove, upTo: confirmTo });
  const promoted = confirmTo === null ? [] : await promote(tx, chainName, confirmTo);
  const isConfirmed = ({ blockNumber, isUnproven }: TransactionRow) =>
    confirmTo !== null && blockNumber <= confirmTo && !isUnproven;
  const confirmed = inOrder(promoted, fresh.filter(isConfirmed).map(markedBy(aloneAbove)));
  const appeared = [...fresh.filter((row) => !isConfirmed(row)), ...revived];
  const pending = [...pendingMoves(appeared, 1n), ...pendingMoves(promoted, -1n)];
  const entered = {
    pending: notifiesPending ? [...fresh, ...revived] : [],
    confirmed,
  } satisfies EnteredBy<"block">;
  const [, { notified }, taken] = await Promise.all([
    moveBalances(tx, { entries: confirmed.map(confirmation), pending }, touched),
    notify(tx, entered),
    findTaken(tx, chainName, confirmed),
  ]);
  const takenBack = await settleTaken(tx, taken, touched);
  const crossings = await notifyCrossings(tx, chainName, touched);
  const left = together(settled, takenBack);
  return {
    ...left,
    recorded: rows.length,
    confirmed: confirmed.length,
    notified: left.notified + notified + crossings.notified,
    ids: { recorded: [...fresh, ...revived].map(idOf), confirmed: confirmed.map(idOf) },
  };
}

/**
 * Returns a function that marks rows above the height as confirmed alone, as they are in the
 * database by now.
 */
function markedBy(aloneAbove: bigint | null): (row: TransactionRow) => TransactionRow {
  if (aloneAbove === null) return (row) => row;
  return (row) => ({ ...row, confirmedAlone: row.blockNumber > aloneAbove });
}

function idOf({ id }: MovedRow): string {
  return id;
}

/**
 * Completes the transactions that waited for this height. A transaction stays pending if it is
 * orphaned, or also waits for a proof.
 */
function promote(tx: TxStatements, chainName: string, confirmTo: bigint): Promise<MovedRow[]> {
  return moveTransactions(
    tx,
    Prisma.sql`
      SET status = 'completed', completed_at = now(), (${pricedColumns}) = ${pricedNow}
      WHERE chain_name = ${chainName} AND status = 'pending' AND NOT orphaned AND NOT unproven
        AND block_number <= ${confirmTo}`,
    preparedByIndex,
  );
}

/**
 * Merges two lists, each ordered by block and ordinal. Promoted transactions are older, except
 * where a reorg brought one back in the same block.
 */
function inOrder(promoted: readonly MovedRow[], fresh: readonly MovedRow[]): readonly MovedRow[] {
  if (promoted.length === 0) return fresh;
  if (fresh.length === 0) return promoted;
  return [...promoted, ...fresh].sort(
    (a, b) => Number(a.blockNumber - b.blockNumber) || a.ordinal - b.ordinal,
  );
}
