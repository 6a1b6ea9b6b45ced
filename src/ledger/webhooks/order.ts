import type { OrderAsked } from "../../domain/webhook/registration.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { lookByIndex } from "../postgres/look-by-index.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import { readRows } from "../postgres/statements.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { joinLines, leaveLines, readUnarranged } from "./lines.ts";
import { lockBusiness } from "./lock-business.ts";
import { inTurns } from "./take-turns.ts";

/**
 * Changes the order of a current webhook. Its waiting deliveries join or leave lines: some now, and
 * `arrangeWaiting` does the others. A webhook with an order sends nothing before they are done.
 * Without an order, or without holding, given-up deliveries hold nothing any more. The caller has
 * locked the business, and has locked or written the webhook. Safe to repeat.
 */
export async function changeOrder(tx: Tx, id: string, asked: OrderAsked): Promise<void> {
  const webhook = await tx.webhook.findUniqueOrThrow({ where: { id } });
  const { isOrdered = webhook.isOrdered, holdsExhausted = webhook.holdsExhausted } = asked;
  if (isOrdered === webhook.isOrdered && holdsExhausted === webhook.holdsExhausted) return;
  await tx.webhook.update({ where: { id }, data: { isOrdered, holdsExhausted } });
  await arrangeSome(tx, id, null);
}

/**
 * Lets some deliveries join or leave the lines of a webhook, as its order is now. If more may be
 * left, the webhook's row notes that. `among`: a portion of several; null: looks through all.
 */
async function arrangeSome(tx: Tx, id: string, among: readonly string[] | null): Promise<void> {
  const webhook = await tx.webhook.findUniqueOrThrow({ where: { id } });
  // A block that pays the business waits for this, also on a database without statistics.
  await lookByIndex(tx);
  const isLeft = webhook.isOrdered
    ? [
        await joinLines(tx, webhook, among),
        !webhook.holdsExhausted && (await leaveLines(tx, webhook, "exhausted", among)),
      ]
    : [await leaveLines(tx, webhook, "all", among)];
  const arrangesLines = among !== null || isLeft.includes(true);
  await tx.webhook.update({ where: { id }, data: { arrangesLines } });
  await wakeRelay(tx);
}

/**
 * Goes on with a changed order, of a webhook of a random business. Arranges up to 20,000
 * deliveries, each batch in a transaction of its own. Safe to repeat, to break off, and for several
 * processes.
 * @returns false: nothing was left
 */
export async function arrangeWaiting(db: Database): Promise<boolean> {
  // Nearly always nothing is left. Then this is one query without a transaction.
  const [left] = await readRows<{ id: string; businessId: string }>(
    db,
    inTurns(Prisma.sql`
      SELECT w.id, w.business_id AS "businessId", w.id AS place FROM webhook w
      WHERE w.arranges_lines AND w.deleted_at IS NULL`),
  );
  if (left === undefined) return false;
  for (const portion of await readPortions(db, left.id)) await arrange(db, left, portion);
  await arrange(db, left, null);
  return true;
}

/** Without an order all leave their lines, and a batch leaves nothing in place to read again. */
function readPortions(db: Database, id: string): Promise<string[][]> {
  return inTransaction(db, async (tx) => {
    const webhook = await tx.webhook.findUnique({ where: { id } });
    if (webhook === null || !webhook.isOrdered) return [];
    await lookByIndex(tx);
    return readUnarranged(tx, webhook);
  });
}

async function arrange(
  db: Database,
  { id, businessId }: { id: string; businessId: string },
  among: readonly string[] | null,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockBusiness(tx, businessId);
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM webhook WHERE id = ${id}::uuid AND arranges_lines AND deleted_at IS NULL FOR NO KEY UPDATE`;
    if (rows.length > 0) await arrangeSome(tx, id, among);
  });
}
