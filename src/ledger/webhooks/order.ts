import type { OrderAsked } from "../../domain/webhook/registration.ts";
import { lookByIndex } from "../postgres/look-by-index.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import type { Tx } from "../postgres/transaction.ts";
import { joinLines, leaveLines } from "./lines.ts";

/**
 * Changes the order of a current webhook, and its waiting deliveries join or leave lines. Without
 * an order, or without holding, given-up deliveries hold nothing any more. The caller has locked
 * the business, and has locked or written the webhook. Safe to repeat.
 */
export async function changeOrder(tx: Tx, id: string, asked: OrderAsked): Promise<void> {
  const webhook = await tx.webhook.findUniqueOrThrow({ where: { id } });
  const { isOrdered = webhook.isOrdered, holdsExhausted = webhook.holdsExhausted } = asked;
  if (isOrdered === webhook.isOrdered && holdsExhausted === webhook.holdsExhausted) return;
  await tx.webhook.update({ where: { id }, data: { isOrdered, holdsExhausted } });
  // A block that pays the business waits for this, also on a database without statistics.
  await lookByIndex(tx);
  if (isOrdered !== webhook.isOrdered)
    await (isOrdered ? joinLines(tx, webhook) : leaveLines(tx, webhook, "all"));
  else if (!holdsExhausted) await leaveLines(tx, webhook, "exhausted");
  await wakeRelay(tx);
}
