import { createHash } from "node:crypto";
import { balanceKeyOf } from "../../domain/money/balance.ts";
import { noTransaction } from "../../domain/money/movement.ts";
import type { ComparedBalances, Correction } from "../../domain/money/reconciliation.ts";
import { confirmation, moveBalances, type ThresholdEntries } from "../balances/move-balances.ts";
import { type LockedChain, lockChain } from "../chain/chain-state.ts";
import { hasLeftChain } from "../chain/has-left-chain.ts";
import { notifyCrossings } from "../notifications/notify-crossings.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { transactionId } from "../transactions/transaction-row.ts";
import { confirmedAt } from "./read-confirmed-at.ts";

const nobody = `0x${"0".repeat(40)}`;

/**
 * Corrects a balance (docs/invariants.md#i10) by a completed transaction: an `adjustment` of an
 * inexact asset, or an `unattributed` change of the coin. The transaction is not notified. A
 * threshold that the balance crosses by it is. A correction that was taken back with its block, and
 * is found there again, is completed again.
 *
 * Answers `moved`, and writes nothing, if the block is no longer the stored one, or the ledger's
 * balance there has changed. So no difference is corrected twice.
 */
export async function recordCorrection(
  db: Database,
  chainName: string,
  correction: Correction,
): Promise<"corrected" | "moved"> {
  const { balance, at, ledgerAtomic, type } = correction;
  return inTransaction(db, async (tx) => {
    const chain = await lockChain(tx, chainName);
    const { confirmedNumber } = chain;
    if (await hasLeftChain(tx, chainName, at)) return "moved";
    if (confirmedNumber === null || confirmedNumber < at.number) return "moved";
    if ((await confirmedAt(tx, balance, at.number)) !== ledgerAtomic) return "moved";
    // Another process has corrected this balance at a higher block.
    const { walletId, assetId } = balance;
    const above = { walletId, assetId, type, blockNumber: { gt: at.number } };
    if ((await tx.transaction.count({ where: { ...above, status: "completed" } })) > 0)
      return "moved";
    const row = await writeCorrection(tx, chain, correction);
    if (row === null) return "moved";
    const touched: ThresholdEntries = [];
    await moveBalances(tx, { entries: [confirmation(row)], pending: [] }, touched);
    await notifyCrossings(tx, chainName, touched);
    return "corrected";
  });
}

/**
 * Writes the transaction of a correction, or completes the one that was taken back. A rewind and a
 * reorg take corrections back, and find none of them in the blocks. Null: that very correction is
 * there already.
 */
async function writeCorrection(tx: Tx, chain: LockedChain, correction: Correction) {
  const { balance, at, ledgerAtomic, chainAtomic, since, type, proof } = correction;
  const { walletId, assetId, businessId, walletAddress } = balance;
  const difference = chainAtomic - ledgerAtomic;
  const direction = difference > 0n ? ("in" as const) : ("out" as const);
  const amountAtomic = difference > 0n ? difference : -difference;
  const tuple = [type, chain.name, walletId, assetId, at.hash, since.toString()];
  const identity = createHash("sha256").update(JSON.stringify(tuple)).digest();
  const said = {
    direction,
    amount: amountAtomic.toString(),
    status: "completed",
    completedAt: new Date(),
    fromAddress: direction === "in" ? nobody : walletAddress,
    toAddress: direction === "in" ? walletAddress : nobody,
    proof: proof === "state" ? "root" : proof,
  };
  const known = await tx.transaction.findUnique({
    where: { identity },
    select: { id: true, status: true },
  });
  if (known?.status === said.status) return null;
  const id =
    known?.id ?? transactionId(chain, at, { identity: identity.toString("hex"), ordinal: 0 });
  if (known !== null) await tx.transaction.update({ where: { id }, data: said });
  else
    await tx.transaction.create({
      data: {
        ...said,
        id,
        identity,
        chainName: chain.name,
        businessId,
        walletId,
        assetId,
        type,
        txHash: noTransaction,
        blockNumber: at.number,
        blockHash: at.hash,
        blockTime: new Date(at.timeMs),
        ordinal: 0,
        sinceNumber: since,
      },
    });
  return { id, walletId, assetId, direction, amountAtomic, blockNumber: at.number };
}

/**
 * Stores the result of a comparison. A difference without an explanation is a discrepancy, with the
 * time when it was first seen. All other balances of `compared` agree again. No balance changes.
 * Safe to repeat.
 */
export async function recordDiscrepancies(
  db: Database,
  chainName: string,
  findings: ComparedBalances,
): Promise<void> {
  const { compared, discrepancies } = findings;
  const latest = new Map<string, (typeof discrepancies)[number]>();
  for (const one of discrepancies) {
    const known = latest.get(balanceKeyOf(one.balance));
    // A balance has one discrepancy: the one at the highest block.
    if (known === undefined || known.at.number < one.at.number)
      latest.set(balanceKeyOf(one.balance), one);
  }
  const rows = [...latest.values()].map(({ balance, at, since, ledgerAtomic, chainAtomic }) => ({
    walletId: balance.walletId,
    assetId: balance.assetId,
    at: at.number.toString(),
    since: since.toString(),
    ledger: ledgerAtomic.toString(),
    chain: chainAtomic.toString(),
  }));
  const agreeing = compared.filter((balance) => !latest.has(balanceKeyOf(balance)));
  await inTransaction(db, async (tx) => {
    await tx.$executeRaw`
      DELETE FROM discrepancy d
      USING unnest(${agreeing.map(({ walletId }) => walletId)}::uuid[], ${agreeing.map(({ assetId }) => assetId)}::int[])
        AS r(wallet_id, asset_id)
      WHERE d.wallet_id = r.wallet_id AND d.asset_id = r.asset_id`;
    await tx.$executeRaw`
      INSERT INTO discrepancy (wallet_id, asset_id, chain_name, at_number, ledger_amount, chain_amount, seen_at, since_number)
      SELECT "walletId", "assetId", ${chainName}, at, ledger, chain, now(), since
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
        "walletId" uuid, "assetId" int, at bigint, since bigint, ledger numeric, chain numeric)
      ON CONFLICT (wallet_id, asset_id) DO UPDATE SET at_number = EXCLUDED.at_number,
        ledger_amount = EXCLUDED.ledger_amount, chain_amount = EXCLUDED.chain_amount, seen_at = EXCLUDED.seen_at,
        since_number = LEAST(discrepancy.since_number, EXCLUDED.since_number)`;
  });
}
