import { fillCount, text, wordOf } from "../../text/text.ts";
import type { components, webhooks } from "../../wire/generated/api-paths.ts";

type Schemas = components["schemas"];
type Filter = Schemas["FilterAsked"];
type FilteredEvent = NonNullable<Filter["events"]>[number];

/** The events that a filter may name. */
export const filteredEvents: Readonly<Record<FilteredEvent, true>> = {
  "transaction.deposit": true,
  "transaction.payment": true,
  "transaction.withdrawal": true,
  "transaction.reversed": true,
  "transaction.pending": true,
  "transaction.dropped": true,
  "wallet.balance_below": true,
  "wallet.balance_restored": true,
  "token.unlisted": true,
} satisfies Record<Exclude<keyof webhooks, "webhook.test">, true>;

/** The form of a webhook, as a person fills it in. */
export type WebhookWish = {
  url: string;
  description: string;
  rate: string;
  isOrdered: boolean;
  /** None: every event but `token.unlisted`. */
  events: readonly string[];
  blockchains: string;
  assets: string;
  references: string;
  /** Such as `USDC 1000, ETH 0.5`. */
  minAmount: string;
  minUsd: string;
};

type Present = Pick<Schemas["Webhook"], "url" | "description" | "rate" | "order" | "filter">;

/** The form of a webhook as it is; of a new one where there is none. */
export function wishOf(present: Present | null): WebhookWish {
  const filter = present?.filter ?? {};
  return {
    url: present?.url ?? "",
    description: present?.description ?? "",
    rate: String(present?.rate ?? ""),
    isOrdered: present?.order === "wallet",
    events: filter.events ?? [],
    blockchains: (filter.blockchains ?? []).join(", "),
    assets: (filter.assets ?? []).join(", "),
    references: (filter.references ?? []).join(", "),
    minAmount: Object.entries(filter.min_amount ?? {})
      .map((pair) => pair.join(" "))
      .join(", "),
    minUsd: filter.min_usd ?? "",
  };
}

/**
 * The filter that is wished for; null: none. The present filter keeps its wallets, which no form
 * shows.
 */
export function filterOf(wish: WebhookWish, present: Present["filter"] = null): Filter | null {
  const events = wish.events.filter(isFiltered);
  const amounts = wordsOf(wish.minAmount).map((pair) => {
    const [asset = "", ...amount] = pair.split(/\s+/);
    return [asset, amount.join(" ")] as const;
  });
  const filter: Filter = {
    ...(events.length > 0 && { events }),
    ...listed("blockchains", wish.blockchains),
    ...listed("assets", wish.assets),
    ...listed("references", wish.references),
    ...(amounts.length > 0 && { min_amount: Object.fromEntries(amounts) }),
    ...(wish.minUsd.trim() !== "" && { min_usd: wish.minUsd.trim() }),
    ...(present?.wallet_ids !== undefined && { wallet_ids: present.wallet_ids }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}

type ChangedSettings = {
  url?: string;
  description?: string | null;
  rate?: number | null;
  order?: "wallet" | "none";
  filter?: Filter | null;
};

const filterParts = [
  "events",
  "blockchains",
  "assets",
  "references",
  "minAmount",
  "minUsd",
] as const satisfies readonly (keyof WebhookWish)[];

/**
 * The settings of the form that are others than those of the webhook. The others stay as they are,
 * and are not checked again. A filter may name an asset or a wallet that is gone by now.
 */
export function changedSettings(wish: WebhookWish, present: Present): ChangedSettings {
  const before = wishOf(present);
  const differs = (part: keyof WebhookWish) =>
    JSON.stringify(wish[part]) !== JSON.stringify(before[part]);
  const [description, rate] = [wish.description.trim(), wish.rate.trim()];
  return {
    ...(differs("url") && { url: wish.url.trim() }),
    ...(differs("description") && { description: description === "" ? null : description }),
    ...(differs("rate") && { rate: rate === "" ? null : Number(rate) }),
    ...(differs("isOrdered") && { order: wish.isOrdered ? "wallet" : "none" }),
    ...(filterParts.some(differs) && { filter: filterOf(wish, present.filter) }),
  };
}

/** The wishes of a filter in the page's language; null: it wants all that nobody has to ask for. */
export function wantsText(filter: Present["filter"]): string {
  const words = text.webhooks.wish;
  const { minUsd, minAmount, ...wish } = wishOf({ ...noWish, filter });
  const events = wish.events.map((event) => wordOf(text.event, event)).join(", ");
  const wallets = filter?.wallet_ids?.length;
  const parts = [
    events === "" ? text.webhooks.wantsAll : events,
    wallets === undefined ? "" : fillCount(text.webhooks.wantsWallets, wallets),
    ...named(words.blockchains, wish.blockchains),
    ...named(words.assets, wish.assets),
    ...named(words.references, wish.references),
    ...named(words.minAmount, minAmount),
    ...named(words.minUsd, minUsd),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

const noWish: Present = { url: "", description: null, rate: null, order: "none", filter: null };

function named(name: string, value: string): string[] {
  return value === "" ? [] : [`${name}: ${value}`];
}

function isFiltered(event: string): event is FilteredEvent {
  return Object.hasOwn(filteredEvents, event);
}

function listed(name: "blockchains" | "assets" | "references", written: string): Filter {
  const words = wordsOf(written);
  return words.length === 0 ? {} : { [name]: words };
}

/** The words of a list with commas between them. */
function wordsOf(written: string): string[] {
  const words = written.split(",").map((word) => word.trim());
  return words.filter((word) => word !== "");
}
