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
  kind: "confirmation" | "reversal",
  weights: (Weight & { blockNumber: bigint })[],
): Promise<void> {
  if (weights.length === 0) return;
  const entries = weights.map((weight) => ({
    walletId: weight.walletId,
    assetId: weight.assetId,
    transactionId: weight.id,
    kind,
    amount: effect(weight).toString(),
    blockNumber: weight.blockNumber.toString(),
  }));
  await tx.$executeRaw`
    INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
    SELECT "walletId", "assetId", "transactionId", kind, amount, "blockNumber"
    FROM jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) AS r(
      "walletId" uuid, "assetId" int, "transactionId" uuid, kind text, amount numeric, "blockNumber" bigint)`;
  const sums = sumByHolding(weights, effect);
  await tx.$executeRaw`
    UPDATE balance b SET confirmed = b.confirmed + r.amount
    FROM jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) AS r("walletId" uuid, "assetId" int, amount numeric)
    WHERE b.wallet_id = r."walletId" AND b.asset_id = r."assetId"`;
}

function effect(weight: Weight): bigint {
  return weight.sign * (weight.direction === "in" ? weight.amountAtomic : -weight.amountAtomic);
}

/** One row a (wallet, asset): an UPDATE ... FROM takes only one of several rows that match the same target. */
function sumByHolding<T extends Weight>(weights: T[], amountOf: (weight: T) => bigint) {
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
