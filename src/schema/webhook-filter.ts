import { z } from "zod";
import {
  type NotificationEvent,
  notificationEvents,
  sightingEvent,
  testEvent,
} from "../domain/delivery/notification.ts";
import { keysOf } from "../domain/keys-of.ts";
import { mostFilterEntries, type WebhookFilter } from "../domain/webhook/filter.ts";
import { decimalField, given, idField, textField } from "./fields.ts";

const listRule = `expected a list of 1 to ${mostFilterEntries}`;

const listOf = <Entry extends z.ZodType>(entry: Entry) =>
  z.array(entry, listRule).min(1, listRule).max(mostFilterEntries, listRule);

const filteredEvents = keysOf(notificationEvents).filter(
  (event): event is Exclude<NotificationEvent, typeof testEvent> => event !== testEvent,
);

const fields = {
  events: listOf(z.enum(filteredEvents, `expected some of ${filteredEvents.join(", ")}`))
    .optional()
    .meta({
      description: `Only notifications of these events. \`${sightingEvent}\` comes only if it is named here.`,
    }),
  blockchains: listOf(textField)
    .optional()
    .meta({
      description: "Only notifications on one of these chains, by name.",
      examples: [["ethereum"]],
    }),
  assets: listOf(textField)
    .optional()
    .meta({
      description: "Only notifications that move one of these assets, by code.",
      examples: [["ETH", "USDC"]],
    }),
  wallet_ids: listOf(idField)
    .optional()
    .meta({
      description: "Only notifications about one of these wallets, by id.",
      examples: [["01a20098-39e4-7000-8000-02911919b011"]],
    }),
  references: listOf(textField)
    .optional()
    .meta({
      description: "Only notifications of wallets whose reference begins with one of these texts.",
      examples: [["shop-"]],
    }),
  min_amount: z
    .record(textField, decimalField, "expected decimals by the code of an asset")
    .refine((amounts) => Object.keys(amounts).length > 0, "must have at least one asset")
    .refine((amounts) => Object.keys(amounts).length <= mostFilterEntries, listRule)
    .optional()
    .meta({
      description:
        "The least amount that moves, by asset. An asset that is not named has no limit.",
      examples: [{ USDC: "1000" }],
    }),
  min_usd: decimalField.optional().meta({
    description:
      "The least worth in US dollars, at that moment. An event without an amount or a price passes.",
    examples: ["1000"],
  }),
};

const description = `The notifications that it wants; null: everything but \`${sightingEvent}\`. All fields that are there must hold.`;

/** The fields of a filter in a request. */
export const filterFields = z.strictObject(fields, "expected an object, or null").meta({
  id: "FilterAsked",
  description: "The limits of the filter. A field that is not known here is refused.",
});

/** The filter in a request. */
export const filterField = filterFields.nullable().optional().meta({ description });

/** The filter in an answer. */
export const shownFilter = z
  .object(fields)
  .meta({ id: "WebhookFilter" })
  .nullable()
  .meta({ description });

/** The filter of a request. Undefined: the request has none. */
export function filterOf(asked: z.output<typeof filterField>): WebhookFilter | null | undefined {
  if (asked === undefined || asked === null) return asked;
  const { events, blockchains, assets, references } = asked;
  const { wallet_ids: walletIds, min_amount: minAmount, min_usd: minUsd } = asked;
  return given({ events, blockchains, assets, walletIds, references, minAmount, minUsd });
}

export function presentFilter(filter: WebhookFilter | null): z.output<typeof shownFilter> {
  if (filter === null) return null;
  const { events, blockchains, assets, references } = filter;
  const { walletIds, minAmount, minUsd } = filter;
  return given({
    events: events?.filter(isFiltered),
    blockchains: blockchains && [...blockchains],
    assets: assets && [...assets],
    wallet_ids: walletIds && [...walletIds],
    references: references && [...references],
    min_amount: minAmount && { ...minAmount },
    min_usd: minUsd,
  });
}

function isFiltered(event: string): event is (typeof filteredEvents)[number] {
  return filteredEvents.some((one) => one === event);
}
