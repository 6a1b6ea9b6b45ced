import { idAt } from "../../../src/domain/id.ts";
import { Prisma } from "../../../src/ledger/generated/client.ts";
import type { Database } from "../ledger/database.ts";
import { newWallet, randomAddress, randomHash } from "../ledger/ledger-fixtures.ts";
import { addWallets } from "../ledger/steps.ts";
import type { PlantedTransaction, PlantedWallet } from "./planted-credits.ts";

/** Wallets of a business on the first chain. */
export async function plantWallets(
  db: Database,
  businessId: string,
  count: number,
): Promise<PlantedWallet[]> {
  const wallets = Array.from({ length: count }, () => newWallet());
  const added = await addWallets(db, { businessId, wallets });
  return added.map(({ id }, index) => ({ id, address: wallets[index]?.address ?? "" }));
}

/** Transactions as the watcher would have written them, with their notifications. */
export async function writePlanted(
  db: Database,
  businessId: string,
  transactions: readonly PlantedTransaction[],
): Promise<void> {
  const from = randomAddress();
  const rows = JSON.stringify(
    transactions.map((one) => ({
      ...one,
      amountAtomic: String(one.amountAtomic),
      notificationId: one.delivery === null ? null : idAt(one.blockTime.getTime()),
      deliveryId: idAt(one.blockTime.getTime()),
    })),
  );
  const planted = Prisma.sql`jsonb_to_recordset(${rows}::jsonb) AS p(id uuid, "txHash" text, "walletId" uuid, "assetCode" text,
    "amountAtomic" numeric, type text, status text, "blockTime" timestamptz, "completedAt" timestamptz, delivery text,
    "notificationId" uuid, "deliveryId" uuid)`;
  await db.$executeRaw`
    INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal, completed_at)
    SELECT p.id, sha256(p.id::text::bytea), 'ethereum', ${businessId}::uuid, p."walletId", a.id, p.type,
      CASE p.type WHEN 'deposit' THEN 'in' ELSE 'out' END, p."amountAtomic", p.status, p."txHash", ${from}, ${from}, 100,
      ${randomHash()}, p."blockTime", 0, p."completedAt"
    FROM ${planted} JOIN asset a ON a.chain_name = 'ethereum' AND a.code = p."assetCode"`;
  await db.$executeRaw`
    INSERT INTO notification (id, business_id, transaction_id, state, event, body)
    SELECT p."notificationId", ${businessId}::uuid, p.id, 'confirmed', 'transaction.' || p.type, '{}' FROM ${planted}
    WHERE p.delivery IS NOT NULL`;
  await db.$executeRaw`
    INSERT INTO delivery (id, notification_id, business_id, status)
    SELECT p."deliveryId", p."notificationId", ${businessId}::uuid, p.delivery FROM ${planted} WHERE p.delivery IS NOT NULL`;
  await db.$executeRaw`ANALYZE transaction`;
}
