import { randomBytes } from "node:crypto";
import { parseAddress } from "../../domain/chain/address.ts";
import { type NotificationEvent, testState } from "../../domain/delivery/notification.ts";
import { sampleNotificationBody } from "../../domain/delivery/sample-notification.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import type { Tx } from "../postgres/transaction.ts";
import { lockBusiness } from "../webhooks/lock-business.ts";

/**
 * Writes a notification of a made-up event about the business's newest wallet. The dispatcher sends
 * it to the first webhook on the usual schedule. Without a webhook it is held. It has no
 * transaction and counts as a test, so no recovery sends it. Development only (see
 * sampleNotificationBody).
 * @throws Fault `business_not_found`, `wallet_not_found`
 */
export async function writeSample(
  tx: Tx,
  asked: { businessId: string; event: NotificationEvent },
): Promise<{ notificationId: string; url: string | null }> {
  const { businessId, event } = asked;
  await lockBusiness(tx, businessId);
  const webhook = await tx.webhook.findFirst({
    where: { businessId, deletedAt: null, isAdditional: false },
    select: { id: true, url: true },
  });
  const happenedAt = new Date();
  const id = idAt(happenedAt.getTime());
  const subject = {
    ...(await walletOf(tx, businessId)),
    other: parseAddress(hexOf(20)),
    contract: parseAddress(hexOf(20)),
    txHash: hexOf(32),
    blockNumber: 19_000_000n,
    blockHash: hexOf(32),
  };
  const body = sampleNotificationBody(event, { id, happenedAt, subject });
  await tx.notification.create({
    data: { id, businessId, state: testState, event, body, createdAt: happenedAt },
  });
  const deliveryId = idAt(happenedAt.getTime());
  const webhookId = webhook?.id ?? null;
  await tx.delivery.create({
    data: { id: deliveryId, notificationId: id, businessId, webhookId },
  });
  await wakeRelay(tx);
  return { notificationId: id, url: webhook?.url ?? null };
}

/** The newest wallet, and the last configured asset of its chain. */
async function walletOf(tx: Tx, businessId: string) {
  const wallet = await tx.wallet.findFirst({
    where: { businessId, removedAt: null },
    orderBy: { id: "desc" },
    select: { id: true, address: true, chainName: true, reference: true },
  });
  if (wallet === null)
    throw new Fault("wallet_not_found", "The business has no wallet: add one first.");
  const asset = await tx.asset.findFirst({
    where: { chainName: wallet.chainName, configured: true },
    orderBy: { id: "desc" },
    select: { code: true, decimals: true },
  });
  return { wallet, asset: asset ?? { code: "ETH", decimals: 18 } };
}

function hexOf(bytes: number): string {
  return `0x${randomBytes(bytes).toString("hex")}`;
}
