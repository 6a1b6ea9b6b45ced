import { notificationEvents, sightingEvent } from "../../domain/delivery/notification.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { invalidField } from "../../domain/text.ts";
import { filterFieldNames, type WebhookFilter } from "../../domain/webhook/filter.ts";
import { type FilterScope, faultOfFilter } from "../../domain/webhook/filter-check.ts";
import type { Tx } from "../postgres/transaction.ts";

/** Parses a stored filter. */
export function readFilter(stored: string | null): WebhookFilter | null {
  return stored === null ? null : JSON.parse(stored);
}

/**
 * Checks a filter against everything that a webhook of the business may name today, and gives the
 * stored form. Undefined: nothing changes. A filter without a field is no filter.
 * @throws Fault `invalid_request` that names the field that can match nothing
 */
export async function toStored(
  tx: Tx,
  businessId: string,
  filter: WebhookFilter | null | undefined,
): Promise<{ filter?: string | null }> {
  if (filter === undefined) return {};
  if (filter === null || Object.keys(filter).length === 0) return { filter: null };
  const fault = faultOfFilter(filter, await readScope(tx, businessId, filter));
  if (fault !== null) {
    const { field, rule, ...word } = fault;
    throw invalidField(`filter.${filterFieldNames[field]}`, rule, word);
  }
  return { filter: JSON.stringify(filter) };
}

async function readScope(
  tx: Tx,
  businessId: string,
  { walletIds }: WebhookFilter,
): Promise<FilterScope> {
  const business = await tx.business.findUniqueOrThrow({
    where: { id: businessId },
    select: { notifyPending: true },
  });
  const chains = await tx.chain.findMany({
    select: {
      name: true,
      assets: { where: { configured: true, leftAt: null }, select: { code: true } },
    },
    orderBy: { name: "asc" },
  });
  const wallets = await tx.wallet.findMany({
    where: { businessId, removedAt: null, id: { in: [...(walletIds ?? [])] } },
    select: { id: true, chainName: true, purpose: true, reference: true },
  });
  return {
    chains: chains.map(({ name, assets }) => ({ name, assets: assets.map(({ code }) => code) })),
    wallets: wallets.map((wallet) => ({
      ...wallet,
      purpose: wallet.purpose === "payment" ? "payment" : "deposit",
    })),
    silentEvents: business.notifyPending
      ? []
      : keysOf(notificationEvents).filter(
          (event) => notificationEvents[event].askedBy === "business",
        ),
    assetlessEvents: [sightingEvent],
  };
}
