import type { Direction } from "../domain/transaction.ts";
import { arrayLiteral } from "./array-literal.ts";
import type { Statements } from "./statements.ts";

/** A transaction's weight on its wallet's balance. `sign`: 1 to add it, -1 to take it back. */
export type Weight = {
  id: string;
  walletId: string;
  assetId: number;
  direction: Direction;
  amountAtomic: bigint;
  sign: 1n | -1n;
};

/** Moves what is shown as incoming. Only incoming transactions weigh. */
export async function movePending(tx: Statements, weights: readonly Weight[]): Promise<void> {
  const sums = sumByHolding(
    weights.filter(isIncoming).map((weight) => ({ ...weight, ...pendingOf(weight) })),
  );
  if (sums.length === 0) return;
  await tx.$executeRaw`
    UPDATE balance b SET pending = b.pending + r.amount
    FROM unnest(${arrayLiteral(sums.map(({ walletId }) => walletId))}::uuid[],
      ${arrayLiteral(sums.map(({ assetId }) => assetId))}::int[],
      ${arrayLiteral(sums.map(({ pending }) => pending))}::numeric[]) AS r(wallet_id, asset_id, amount)
    WHERE b.wallet_id = r.wallet_id AND b.asset_id = r.asset_id`;
}

const isIncoming = ({ direction }: Weight) => direction === "in";

const pendingOf = ({ sign, amountAtomic }: Weight) => ({
  confirmed: 0n,
  pending: sign * amountAtomic,
});

/** Moves the confirmed balance and writes the entry that says why. */
export async function moveConfirmed(
  tx: Statements,
  kind: EntryKind,
  weights: readonly (Weight & { blockNumber: bigint })[],
): Promise<void> {
  await writeEntries(
    tx,
    kind,
    weights.map((weight) => ({ ...weight, effectAtomic: effect(weight) })),
  );
}

type EntryKind = "confirmation" | "reversal";

/** What an entry adds to the confirmed balance for the sake of a transaction. */
export type Entry = {
  id: string;
  walletId: string;
  assetId: number;
  effectAtomic: bigint;
  blockNumber: bigint;
};

/** The entries, and the balances moved by them. */
export async function writeEntries(
  tx: Statements,
  kind: EntryKind,
  written: readonly Entry[],
): Promise<void> {
  await moveBalances(tx, { kind, written, pending: [] });
}

/** Entries, the confirmed balances moved by them, and in the same statement what is shown as incoming. */
export async function moveBalances(
  tx: Statements,
  moves: { kind: EntryKind; written: readonly Entry[]; pending: readonly Weight[] },
): Promise<void> {
  const { kind, written, pending } = moves;
  if (written.length === 0) return movePending(tx, pending);
  const sums = sumByHolding([
    ...written.map((entry) => ({ ...entry, confirmed: entry.effectAtomic, pending: 0n })),
    ...pending.filter(isIncoming).map((weight) => ({ ...weight, ...pendingOf(weight) })),
  ]);
  await tx.$executeRaw`
    WITH written AS (
      INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
      SELECT wallet_id, asset_id, transaction_id, ${kind}, amount, block_number
      FROM unnest(${arrayLiteral(written.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(written.map(({ assetId }) => assetId))}::int[],
        ${arrayLiteral(written.map(({ id }) => id))}::uuid[],
        ${arrayLiteral(written.map(({ effectAtomic }) => effectAtomic))}::numeric[],
        ${arrayLiteral(written.map(({ blockNumber }) => blockNumber))}::bigint[]
      ) AS r(wallet_id, asset_id, transaction_id, amount, block_number)
    )
    UPDATE balance b SET confirmed = b.confirmed + r.confirmed, pending = b.pending + r.pending
    FROM unnest(${arrayLiteral(sums.map(({ walletId }) => walletId))}::uuid[],
      ${arrayLiteral(sums.map(({ assetId }) => assetId))}::int[],
      ${arrayLiteral(sums.map(({ confirmed }) => confirmed))}::numeric[],
      ${arrayLiteral(sums.map(({ pending }) => pending))}::numeric[]
    ) AS r(wallet_id, asset_id, confirmed, pending)
    WHERE b.wallet_id = r.wallet_id AND b.asset_id = r.asset_id`;
}

/**
 * What transactions weigh in the confirmed balance by their entries, by id. None of one that was confirmed before its
 * asset was out of the configuration for a while: it is a part of the opening that was read when the asset came back.
 */
export async function readWeights(
  tx: Statements,
  transactionIds: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await tx.$queryRaw<{ id: string; weight: string }[]>`
    SELECT transaction_id AS id, sum(amount)::text AS weight FROM ledger_entry
    WHERE transaction_id = ANY(${[...transactionIds]}::uuid[]) GROUP BY transaction_id`;
  return new Map(rows.map(({ id, weight }) => [id, BigInt(weight)]));
}

/** What a weight adds to a balance. */
export function effect(weight: Omit<Weight, "id" | "walletId" | "assetId">): bigint {
  return weight.sign * (weight.direction === "in" ? weight.amountAtomic : -weight.amountAtomic);
}

type Sum = { walletId: string; assetId: number; confirmed: bigint; pending: bigint };

/** One row a (wallet, asset): an UPDATE ... FROM takes only one of several rows that match the same target. */
function sumByHolding(moves: readonly Sum[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { walletId, assetId, confirmed, pending } of moves) {
    const key = `${walletId}/${assetId}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { walletId, assetId, confirmed, pending });
    else {
      sum.confirmed += confirmed;
      sum.pending += pending;
    }
  }
  return [...sums.values()];
}
