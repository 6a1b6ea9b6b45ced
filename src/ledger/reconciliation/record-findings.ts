import { createHash } from "node:crypto";
import { noTransaction } from "../../domain/money/movement.ts";
import type { ComparedBalances, Correction } from "../../domain/money/reconciliation.ts";
import { confirmation, moveBalances, type ThresholdBalances } from "../balances/move-balances.ts";
import { lockChain } from "../chain/chain-state.ts";
import { hasLeftChain } from "../chain/has-left-chain.ts";
import { notifyCrossings } from "../notifications/notify-crossings.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { transactionId } from "../transactions/transaction-row.ts";
import { confirmedAt } from "./read-confirmed-at.ts";

const nobody = `0x${"0".repeat(40)}`;

/**
 * Corrects a balance (docs/invariants.md#i10) by a completed transaction, which notifies nobody: an
 * `adjustment` of an inexact asset, or an `unattributed` change of the coin. The balance may cross
 * a threshold by it, which notifies. Answers `moved`, and
 * writes nothing, where the block is no longer the stored one or the ledger no longer says the same
 * for it, so that no difference is corrected twice.
 */
export async function recordCorrection(
  db: Database,
  chainName: string,
  correction: Correction,
): Promise<"corrected" | "moved"> {
  const { balance, at, ledgerAtomic, chainAtomic, since, type, proof } = correction;
  return inTransaction(db, async (tx) => {
    const chain = await lockChain(tx, chainName);
    const { confirmedNumber } = chain;
    if (await hasLeftChain(tx, chainName, at)) return "moved";
    if (confirmedNumber === null || confirmedNumber < at.number) return "moved";
    if ((await confirmedAt(tx, balance, at.number)) !== ledgerAtomic) return "moved";
    // Another process has corrected the same at a higher block meanwhile.
    const { walletId, assetId, businessId, walletAddress } = balance;
    const above = { walletId, assetId, type, blockNumber: { gt: at.number } };
    if ((await tx.transaction.count({ where: { ...above, status: "completed" } })) > 0)
      return "moved";
    const difference = chainAtomic - ledgerAtomic;
    const direction = difference > 0n ? "in" : "out";
    const amountAtomic = difference > 0n ? difference : -difference;
    const tuple = [type, chainName, walletId, assetId, at.hash, since.toString()];
    const identity = createHash("sha256").update(JSON.stringify(tuple)).digest("hex");
    const id = transactionId(chain, at, { identity, ordinal: 0 });
    await tx.transaction.create({
      data: {
        id,
        identity: Buffer.from(identity, "hex"),
        chainName,
        businessId,
        walletId,
        assetId,
        type,
        direction,
        amount: amountAtomic.toString(),
        status: "completed",
        completedAt: new Date(),
        txHash: noTransaction,
        fromAddress: direction === "in" ? nobody : walletAddress,
        toAddress: direction === "in" ? walletAddress : nobody,
        blockNumber: at.number,
        blockHash: at.hash,
        blockTime: new Date(at.timeMs),
        ordinal: 0,
        sinceNumber: since,
        proof: proof === "state" ? "root" : proof,
      },
    });
    const row = { id, walletId, assetId, direction, amountAtomic, blockNumber: at.number } as const;
    const touched: ThresholdBalances = [];
    await moveBalances(tx, { entries: [confirmation(row)], pending: [] }, touched);
    await notifyCrossings(tx, chainName, touched);
    return "corrected";
  });
}

/**
 * Keeps what was found of balances. A difference that nothing explains is a discrepancy, with the
 * moment it was first seen. Any other balance of `compared` has agreed again. No balance is
 * touched. Safe to repeat.
 */
export async function recordDiscrepancies(
  db: Database,
  chainName: string,
  findings: ComparedBalances,
): Promise<void> {
  const { compared, discrepancies } = findings;
  const latest = new Map<string, (typeof discrepancies)[number]>();
  for (const one of discrepancies) {
    const known = latest.get(keyOf(one.balance));
    // A balance has one discrepancy, however many blocks show it.
    if (known === undefined || known.at.number < one.at.number) latest.set(keyOf(one.balance), one);
  }
  const rows = [...latest.values()].map(({ balance, at, since, ledgerAtomic, chainAtomic }) => ({
    walletId: balance.walletId,
    assetId: balance.assetId,
    at: at.number.toString(),
    since: since.toString(),
    ledger: ledgerAtomic.toString(),
    chain: chainAtomic.toString(),
  }));
  const agreeing = compared.filter((balance) => !latest.has(keyOf(balance)));
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

function keyOf({ walletId, assetId }: { walletId: string; assetId: number }): string {
  return `${walletId}/${assetId}`;
}
