import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import {
  type InactiveReason,
  mostWebhooks,
  type NewWebhook,
  type OrderAsked,
  type Registered,
  type WebhookInOrder,
  type WebhookRegistration,
} from "../../domain/webhook/registration.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import { pageQuery } from "../postgres/page-query.ts";
import { reaching } from "../postgres/reaching.ts";
import type { Tx } from "../postgres/transaction.ts";
import { readFilter, toStored } from "./filters.ts";
import { limitReplacing } from "./limit-replacing.ts";
import { readLines } from "./lines.ts";
import { lockBusiness, lockFirst } from "./lock-business.ts";
import { moveSome } from "./move-waiting.ts";
import { changeOrder } from "./order.ts";

/** The columns of a webhook that may be shown. */
const shownOfWebhook = {
  id: true,
  url: true,
  description: true,
  isAdditional: true,
  isActive: true,
  isOrdered: true,
  holdsExhausted: true,
  createdAt: true,
  lastSuccessAt: true,
  consecutiveFailures: true,
  disabledAt: true,
  disabledReason: true,
  overlapEndsAt: true,
  rate: true,
  circuitOpenedAt: true,
  circuitRetryAt: true,
  headerNames: true,
  certificateFingerprint: true,
  certificateExpiresAt: true,
  ed25519PublicKey: true,
  nextEd25519PublicKey: true,
  filter: true,
} as const;

/** Makes a registration of a row with these columns. */
function toRegistration<Row extends { filter: string | null; disabledReason: string | null }>(
  row: Row,
) {
  return {
    ...row,
    filter: readFilter(row.filter),
    disabledReason: row.disabledReason as InactiveReason | null,
  };
}

/**
 * Registers a URL as the business's first webhook. If one of its webhooks has the URL already, that
 * one stays and becomes active. Another URL replaces the first webhook, and keeps its order if none
 * is given. Waiting deliveries go to the new webhook on a fresh schedule, in several transactions
 * if they are many. A given filter or description is stored. Calls at the same time run one after
 * another, and one first webhook remains.
 * @throws Fault `business_not_found`; `invalid_request` for a filter that can match nothing;
 *   `rate_limited` after too many were replaced or deleted within an hour. `limit_reached` if the
 *   business has no first webhook and no room for one
 */
export async function registerWebhook(tx: Tx, registration: NewWebhook): Promise<Registered> {
  const { businessId, url, secretCiphertext } = registration;
  await lockBusiness(tx, businessId);
  const filter = await toStored(tx, businessId, registration.filter);
  const all = await readUrls(tx, businessId);
  const same = all.find((one) => one.url === url);
  const said = { ...filter, ...descriptionOf(registration) };
  if (same !== undefined) return keep(tx, same.id, { said, order: registration });
  // One webhook is locked, whichever it is: records lock several by their ids.
  const current = await lockFirst(tx, businessId);
  if (current === null) requireRoom(all.length, registration);
  await limitReplacing(tx, businessId);
  if (current !== null) await end(tx, current.id);
  const { isOrdered = false, holdsExhausted = false, arrangesLines = false } = current ?? {};
  const order = { isOrdered, holdsExhausted, arrangesLines };
  const data = { id: idAt(Date.now()), businessId, url, secretCiphertext, ...said, ...order };
  const { id } = await tx.webhook.create({ data });
  await keepTurn(tx, businessId, id);
  await changeOrder(tx, id, registration);
  if (current !== null) await moveSome(tx, current.id, id);
  const webhook = await readRegistration(tx, id);
  await wakeRelay(tx);
  return { outcome: "created", webhook };
}

/**
 * Adds a webhook beside the first one. It gets notifications from the next commit on. If one of the
 * business's webhooks has the URL already, that one stays and becomes active. A given filter or
 * description is stored.
 * @throws Fault `business_not_found`; `limit_reached` if the business has as many as it may;
 *   `invalid_request` and `rate_limited` as registerWebhook
 */
export async function addWebhook(tx: Tx, registration: NewWebhook): Promise<Registered> {
  const { businessId, url, secretCiphertext, isOrdered, holdsExhausted } = registration;
  const order = { isOrdered: isOrdered ?? false, holdsExhausted: holdsExhausted ?? false };
  await lockBusiness(tx, businessId);
  const all = await readUrls(tx, businessId);
  const same = all.find((one) => one.url === url);
  const filter = await toStored(tx, businessId, registration.filter);
  const said = { ...filter, ...descriptionOf(registration) };
  if (same !== undefined) return keep(tx, same.id, { said, order: registration });
  requireRoom(all.length, registration);
  await limitReplacing(tx, businessId);
  const id = idAt(Date.now());
  const data = { id, businessId, url, secretCiphertext, isAdditional: true, ...said, ...order };
  const webhook = toRegistration(await tx.webhook.create({ data, select: shownOfWebhook }));
  await keepTurn(tx, businessId, webhook.id);
  return { outcome: "created", webhook };
}

/** The current webhooks of a locked business, additional ones first. */
export function readUrls(tx: Tx, businessId: string): Promise<{ id: string; url: string }[]> {
  return tx.webhook.findMany({
    where: { businessId, deletedAt: null },
    select: { id: true, url: true },
    orderBy: { isAdditional: "desc" },
  });
}

function requireRoom(count: number, { most = mostWebhooks }: NewWebhook): void {
  if (count < most) return;
  throw new Fault(
    "limit_reached",
    `A business has at most ${most} webhooks: delete one, or change its url.`,
  );
}

/** The description to store. Nothing, if none is given. */
function descriptionOf({ description }: NewWebhook): { description?: string | null } {
  return description === undefined ? {} : { description };
}

type Said = { filter?: string | null; description?: string | null };

/** Keeps the registration of a URL. Changes only the given settings, and activates it. */
async function keep(
  tx: Tx,
  id: string,
  { said, order }: { said: Said; order: OrderAsked },
): Promise<Registered> {
  await tx.webhook.update({ where: { id }, data: said });
  await changeOrder(tx, id, order);
  return { outcome: "unchanged", webhook: await activate(tx, id) };
}

/**
 * Activates a webhook. Resets its health only if it was inactive. Closes an open circuit, so that
 * an attempt follows now.
 */
export async function activate(tx: Tx, id: string): Promise<WebhookRegistration> {
  await closeCircuit(tx, id);
  await tx.webhook.updateMany({
    where: { id, isActive: false },
    data: {
      isActive: true,
      consecutiveFailures: 0,
      failingSince: null,
      isTimingOut: false,
      disabledAt: null,
      disabledReason: null,
    },
  });
  await wakeRelay(tx);
  return readRegistration(tx, id);
}

/** Reads an existing webhook. */
export async function readRegistration(tx: Tx, id: string): Promise<WebhookRegistration> {
  return toRegistration(
    await tx.webhook.findUniqueOrThrow({ where: { id }, select: shownOfWebhook }),
  );
}

/**
 * Closes the circuit of a webhook. Due deliveries are sent now, and the next failure opens it
 * again.
 */
export async function closeCircuit(tx: Tx, id: string): Promise<void> {
  await tx.webhook.updateMany({
    where: { id, circuitOpenedAt: { not: null } },
    data: { circuitOpenedAt: null, circuitRetryAt: null },
  });
}

/**
 * Gives a new webhook the turn of its business, so that it does not overtake those that wait
 * longer.
 */
async function keepTurn(tx: Tx, businessId: string, webhookId: string): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO webhook_turn (webhook_id, business_id, number, claimed_at, business_rate_until)
    SELECT ${webhookId}::uuid, business_id, number, claimed_at, business_rate_until
    FROM webhook_turn WHERE business_id = ${businessId}::uuid ORDER BY number DESC LIMIT 1`;
}

async function end(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`UPDATE webhook SET deleted_at = now(), is_active = false WHERE id = ${id}::uuid`;
}

/** A business's first webhook. @throws Fault `webhook_not_found` */
export async function readWebhook(db: Database, businessId: string): Promise<WebhookInOrder> {
  const webhook = await reaching(() =>
    modelsOf(db).webhook.findFirst({
      where: { businessId, deletedAt: null, isAdditional: false },
      select: shownOfWebhook,
    }),
  );
  if (webhook === null) {
    throw new Fault(
      "webhook_not_found",
      "No webhook is registered: register one with POST /webhooks.",
    );
  }
  return inOrder(db, { ...toRegistration(webhook), businessId });
}

/**
 * All webhooks of a business: the first one, then the others in the order in which they were added.
 */
export async function readWebhooks(db: Database, businessId: string): Promise<WebhookInOrder[]> {
  const rows = await reaching(() =>
    modelsOf(db).webhook.findMany({
      where: { businessId, deletedAt: null },
      select: shownOfWebhook,
      orderBy: [{ isAdditional: "asc" }, { id: "asc" }],
    }),
  );
  return Promise.all(rows.map((row) => inOrder(db, { ...toRegistration(row), businessId })));
}

async function inOrder(
  db: Database,
  webhook: WebhookRegistration & { businessId: string },
): Promise<WebhookInOrder> {
  return { ...webhook, lines: webhook.isOrdered ? await readLines(db, webhook) : null };
}

/** For the operator: the current webhooks of a business, newest first; null: of all businesses. */
export async function listWebhooks(
  db: Database,
  { businessId, page }: { businessId: string | null; page: PageRequest },
): Promise<Page<WebhookRegistration & { businessId: string }>> {
  const rows = await reaching(() =>
    modelsOf(db).webhook.findMany({
      ...pageQuery({ deletedAt: null, ...(businessId === null ? {} : { businessId }) }, page),
      select: { ...shownOfWebhook, businessId: true },
    }),
  );
  return toPage(rows.map(toRegistration), page.limit);
}
