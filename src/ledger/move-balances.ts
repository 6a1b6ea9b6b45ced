import type { Direction } from "../domain/transaction.ts";
import type { Tx } from "./database.ts";

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
export async function movePending(tx: Tx, weights: Weight[]): Promise<void> {
  const incoming = weights.filter((weight) => weight.direction === "in");
  const sums = sumByHolding(incoming, (weight) => weight.sign * weight.amountAtomic);
  if (sums.length === 0) return;
  await tx.$executeRaw`
    UPDATE balance b SET pending = b.pending + r.amount
    FROM jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) AS r("walletId" uuid, "assetId" int, amount numeric)
    WHERE b.wallet_id = r."walletId" AND b.asset_id = r."assetId"`;
}

/** Moves the confirmed balance and writes the entry that says why. */
export async function moveConfirmed(
  tx: Tx,
  kind: EntryKind,
  weights: (Weight & { blockNumber: bigint })[],
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
export async function writeEntries(tx: Tx, kind: EntryKind, written: Entry[]): Promise<void> {
  if (written.length === 0) return;
  const entries = written.map((entry) => ({
    walletId: entry.walletId,
    assetId: entry.assetId,
    transactionId: entry.id,
    kind,
    amount: entry.effectAtomic.toString(),
    blockNumber: entry.blockNumber.toString(),
  }));
  await tx.$executeRaw`
    INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
    SELECT "walletId", "assetId", "transactionId", kind, amount, "blockNumber"
    FROM jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) AS r(
      "walletId" uuid, "assetId" int, "transactionId" uuid, kind text, amount numeric, "blockNumber" bigint)`;
  const sums = sumByHolding(written, (entry) => entry.effectAtomic);
  await tx.$executeRaw`
    UPDATE balance b SET confirmed = b.confirmed + r.amount
    FROM jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) AS r("walletId" uuid, "assetId" int, amount numeric)
    WHERE b.wallet_id = r."walletId" AND b.asset_id = r."assetId"`;
}

/**
 * What transactions weigh in the confirmed balance by their entries, by id. None of one that was confirmed before its
 * asset was out of the configuration for a while: it is a part of the opening that was read when the asset came back.
 */
export async function readWeights(
  tx: Tx,
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

/** One row a (wallet, asset): an UPDATE ... FROM takes only one of several rows that match the same target. */
function sumByHolding<T extends Pick<Weight, "walletId" | "assetId">>(
  weights: T[],
  amountOf: (weight: T) => bigint,
) {
  const sums = new Map<string, { walletId: string; assetId: number; total: bigint }>();
  for (const weight of weights) {
    const { walletId, assetId } = weight;
    const key = `${walletId}/${assetId}`;
    const sum = sums.get(key) ?? { walletId, assetId, total: 0n };
    sums.set(key, { ...sum, total: sum.total + amountOf(weight) });
  }
  return [...sums.values()].map(({ walletId, assetId, total }) => ({
    walletId,
    assetId,
    amount: total.toString(),
  }));
}
