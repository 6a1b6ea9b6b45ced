import { randomBytes } from "node:crypto";

const { idAt } = await import("../../dist/domain/id.js");
const { notificationBody } = await import("../../dist/domain/delivery/notification.js");

/** `count` notifications for each of the businesses, with the bodies that real deposits have. */
export function makeNotifications(businesses, count) {
  const happenedAt = new Date();
  const make = ({ id: businessId, webhookId, url, secret }) => {
    const id = idAt(happenedAt.getTime());
    const subject = { ...sameSubject, transactionId: idAt(happenedAt.getTime()) };
    const body = notificationBody({ id, state: "confirmed", happenedAt, subject });
    return { id, businessId, webhookId, url, secret, body };
  };
  // Business by business in turn, as a busy chain brings them.
  return Array.from({ length: count }, () => businesses.map(make)).flat();
}

const address = () => `0x${randomBytes(20).toString("hex")}`;

const sameSubject = {
  type: "deposit",
  txHash: `0x${randomBytes(32).toString("hex")}`,
  amountAtomic: 1_250_000n,
  assetCode: "USDC",
  assetDecimals: 6,
  chainName: "base",
  fromAddress: address(),
  toAddress: address(),
  walletId: idAt(Date.now()),
  reference: "order-1042",
  blockNumber: 24_000_000n,
};
