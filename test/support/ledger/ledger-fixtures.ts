import { createHash, randomBytes } from "node:crypto";
import type { Address } from "../../../src/domain/chain/address.ts";
import { idAt } from "../../../src/domain/id.ts";
import type { ChainAssets } from "../../../src/domain/money/asset.ts";
import type { TransactionStatus, TransactionType } from "../../../src/domain/money/transaction.ts";
import type { NewWallet } from "../../../src/domain/watch/wallet.ts";
import { clientsOf } from "../../../src/ledger/postgres/database.ts";
import type { Database } from "./database.ts";
import { openKeptDatabase } from "./kept-database.ts";
import { configureChains, createBusiness } from "./steps.ts";

export type TestLedger = { db: Database; url: string; stop: () => Promise<void> };

/** A fresh ledger, which nobody else uses until `stop`. */
export async function openTestLedger(
  options: { chains?: ChainAssets[] } = {},
): Promise<TestLedger> {
  const database = await openKeptDatabase();
  await configureChains(database.db, options.chains ?? [testChain], "removed");
  return database;
}

const usdcAddress: Address = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/** A coin of 18 decimals and a token of 6. */
export const testChain = {
  name: "ethereum",
  chainId: 1,
  assets: [
    { code: "ETH", address: "native", decimals: 18, kind: "exact" },
    { code: "USDC", address: usdcAddress, decimals: 6, kind: "exact" },
  ],
} as const satisfies ChainAssets;

export function randomAddress(): Address {
  return `0x${randomBytes(20).toString("hex")}`;
}

export function randomHash(): `0x${string}` {
  return `0x${randomBytes(32).toString("hex")}`;
}

export async function insertBusiness(db: Database, name = "Example Ltd"): Promise<string> {
  return (await createBusiness(db, { name, isVerified: true })).id;
}

export function newWallet(fields: Partial<NewWallet> = {}): NewWallet {
  return {
    chainName: "ethereum",
    address: randomAddress(),
    purpose: "deposit",
    label: null,
    reference: null,
    fromBlock: null,
    ...fields,
  };
}

/**
 * Says that every opening balance of the wallets was read, with what is held of each asset, in
 * atomic units.
 */
export async function markSynced(
  db: Database,
  walletIds: readonly string[],
  held: Record<string, { confirmed?: bigint; pending?: bigint }> = {},
): Promise<void> {
  const ids = [...walletIds];
  await db.$executeRaw`UPDATE balance SET opening = 0 WHERE wallet_id = ANY(${ids}::uuid[])`;
  for (const [code, { confirmed = 0n, pending = 0n }] of Object.entries(held)) {
    await db.$executeRaw`
      UPDATE balance SET confirmed = ${confirmed.toString()}::numeric, pending = ${pending.toString()}::numeric
      FROM asset WHERE asset.id = asset_id AND code = ${code} AND wallet_id = ANY(${ids}::uuid[])`;
  }
}

/** Puts a chain at a height, as if every block up to there had been processed. */
export async function moveChainTo(db: Database, name: string, position: bigint): Promise<void> {
  await db.chain.update({
    where: { name },
    data: {
      positionNumber: position,
      positionHash: randomHash(),
      positionTime: new Date(),
      headNumber: position,
    },
  });
}

export type TransactionFixture = {
  walletId: string;
  assetCode?: string;
  type?: TransactionType;
  amountAtomic?: bigint;
  status?: TransactionStatus;
  isOrphaned?: boolean;
  txHash?: string;
  blockNumber?: bigint;
  /** The place in its block; left out: 0. */
  ordinal?: number;
  blockTime?: Date;
  usdValue?: string;
  /** The address of the other side; left out: any. */
  other?: string;
};

/** A transaction row as the watcher would have written it; answers its id. */
export async function insertTransaction(
  db: Database,
  fixture: TransactionFixture,
): Promise<string> {
  const { walletId, type = "deposit", assetCode = "ETH", other = randomAddress() } = fixture;
  const { blockTime = new Date("2026-01-02T03:04:05.000Z") } = fixture;
  const id = idAt(blockTime.getTime());
  const isOut = type === "withdrawal" || type === "fee";
  const [from, to] = isOut ? ["w.address", "$13"] : ["$13", "w.address"];
  const { rowCount } = await clientsOf(db).pool.query(
    `INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      orphaned, tx_hash, block_number, block_hash, block_time, ordinal, usd_value, from_address, to_address)
    SELECT $1, $2, w.chain_name, w.business_id, w.id, a.id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $14, ${from}, ${to}
    FROM wallet w JOIN asset a USING (chain_name) WHERE w.id = $15 AND a.code = $16`,
    [
      ...[id, createHash("sha256").update(id).digest(), type, isOut ? "out" : "in"],
      ...[(fixture.amountAtomic ?? 1n).toString(), fixture.status ?? "completed"],
      ...[fixture.isOrphaned ?? false, fixture.txHash ?? randomHash()],
      ...[(fixture.blockNumber ?? 100n).toString(), randomHash(), blockTime, fixture.ordinal ?? 0],
      ...[other, fixture.usdValue ?? null, walletId, assetCode],
    ],
  );
  if (rowCount !== 1) throw new Error(`There is no ${assetCode} of wallet ${walletId}.`);
  return id;
}

/** A notification with one delivery, in the state that is given. */
export async function insertDelivery(
  db: Database,
  fixture: {
    businessId: string;
    transactionId?: string;
    webhookId: string | null;
    status?: "waiting" | "delivered" | "exhausted" | "cancelled";
    attempts?: number;
    isClaimed?: boolean;
    deliveredAt?: Date;
  },
): Promise<{ notificationId: string; deliveryId: string }> {
  const { businessId, webhookId, attempts = 0 } = fixture;
  const notificationId = idAt(Date.now());
  const deliveryId = idAt(Date.now());
  await db.notification.create({
    data: {
      id: notificationId,
      businessId,
      transactionId: fixture.transactionId ?? null,
      state: "confirmed",
      event: "transaction.deposit",
      body: "{}",
    },
  });
  const claim = { claimToken: idAt(Date.now()), claimExpiresAt: new Date(Date.now() + 60_000) };
  await db.delivery.create({
    data: {
      id: deliveryId,
      notificationId,
      businessId,
      webhookId,
      status: fixture.status ?? "waiting",
      attempts,
      deliveredAt: fixture.deliveredAt ?? null,
      ...(fixture.isClaimed === true ? claim : {}),
    },
  });
  for (let number = 1; number <= attempts && webhookId !== null; number += 1) {
    await db.attempt.create({
      data: { deliveryId, webhookId, number, startedAt: new Date(), latencyMs: 5, statusCode: 500 },
    });
  }
  return { notificationId, deliveryId };
}
