import { fieldProblems } from "../field-problem.ts";
import type { FieldRule } from "../text.ts";
import { assetFields, beginsWithOne, type WebhookFilter } from "./filter.ts";

/** The names that exist when a filter is registered. */
export type FilterScope = {
  /** The watched chains, with the codes of their assets. */
  chains: readonly { name: string; assets: readonly string[] }[];
  /** Wallets of the business: at least those that the filter names. */
  wallets: readonly FilteredWallet[];
  /** The events that the business must ask for, if it has not. */
  silentEvents: readonly string[];
  /** The events that are about no configured asset. */
  assetlessEvents: readonly string[];
};

type FilteredWallet = {
  id: string;
  chainName: string;
  /** Decides the event of its incoming transfers. */
  purpose: "deposit" | "payment";
  reference: string | null;
};

/** The field because of which a filter can match nothing, and the reason with its word. */
export type FilterFault = { field: keyof WebhookFilter; rule: string } & Pick<
  FieldRule,
  "code" | "values"
>;

/**
 * The reason why a filter can match nothing. It names something that does not exist, or its fields
 * exclude each other. Null: it can match something, as far as is known now.
 */
export function faultOfFilter(filter: WebhookFilter, scope: FilterScope): FilterFault | null {
  return faultOfNames(filter, scope) ?? faultOfTogether(filter, scope);
}

function faultOfNames(filter: WebhookFilter, scope: FilterScope): FilterFault | null {
  const chains = scope.chains.map(({ name }) => name);
  const assets = [...new Set(scope.chains.flatMap((chain) => chain.assets))].sort();
  const wallets = scope.wallets.map(({ id }) => id);
  const { blockchains = [], walletIds = [], minAmount = {} } = filter;
  const unknown = (named: readonly string[], known: readonly string[]) =>
    named.find((one) => !known.includes(one));
  const chain = unknown(blockchains, chains);
  if (chain !== undefined) return { field: "blockchains", ...notWatched(chain, chains) };
  const asset = unknown(filter.assets ?? [], assets);
  if (asset !== undefined) return { field: "assets", ...notWatched(asset, assets) };
  const wallet = unknown(walletIds, wallets);
  if (wallet !== undefined) {
    const rule = `${wallet} is no wallet of the business`;
    return { field: "walletIds", rule, code: "foreign_wallet", values: { wallet } };
  }
  const least = unknown(Object.keys(minAmount), filter.assets ?? assets);
  if (least === undefined) return null;
  if (filter.assets === undefined) return { field: "minAmount", ...notWatched(least, assets) };
  const rule = `'${least}' is not among assets`;
  return { field: "minAmount", rule, code: "not_among_assets", values: { name: least } };
}

function notWatched(name: string, known: readonly string[]): Omit<FilterFault, "field"> {
  const rule = `'${name}' is not watched`;
  if (known.length === 0)
    return { rule: `${rule}; nothing is yet`, code: "nothing_watched", values: { name } };
  const choices = known.join(", ");
  const values = { name, choices };
  return { rule: `${rule}; expected some of ${choices}`, code: "not_watched", values };
}

const incoming = ["transaction.deposit", "transaction.payment"];

function faultOfTogether(filter: WebhookFilter, scope: FilterScope): FilterFault | null {
  const { events, blockchains, assets, walletIds, references } = filter;
  const isUnasked = (event: string) => scope.silentEvents.includes(event);
  if (events?.every(isUnasked)) {
    const rule = `ask the operator to notify you of ${events.join(", ")} first (--notify-pending)`;
    return { field: "events", rule, code: "unasked_events", values: namedEvents(events) };
  }
  const ofAssets = assetFields.find((field) => filter[field] !== undefined);
  const isSilent = (event: string) =>
    isUnasked(event) || (ofAssets !== undefined && scope.assetlessEvents.includes(event));
  if (ofAssets !== undefined && events?.every(isSilent)) {
    const rule = `${events.join(", ")} is about no configured asset`;
    return { field: ofAssets, rule, code: "assetless_events", values: namedEvents(events) };
  }
  const onChains = scope.chains.filter(({ name }) => blockchains?.includes(name) ?? true);
  const isOn = ({ chainName }: FilteredWallet) => onChains.some(({ name }) => name === chainName);
  const isReferred = ({ reference }: FilteredWallet) =>
    references === undefined || beginsWithOne(reference, references);
  const isHeard = ({ purpose }: FilteredWallet) =>
    events?.some(
      (event) =>
        !isSilent(event) && (!incoming.includes(event) || event === `transaction.${purpose}`),
    ) ?? true;
  const steps = [
    { isLeft: isOn, rule: fieldProblems.none_on_chains.rule },
    { isLeft: isReferred, rule: fieldProblems.none_referred.rule },
    { isLeft: isHeard, rule: fieldProblems.none_with_events.rule },
  ];
  let wallets = scope.wallets.filter(({ id }) => walletIds?.includes(id));
  for (const { isLeft, rule } of walletIds === undefined ? [] : steps) {
    wallets = wallets.filter(isLeft);
    if (wallets.length === 0) return { field: "walletIds", rule };
  }
  const reached =
    walletIds === undefined
      ? onChains
      : onChains.filter(({ name }) => wallets.some(({ chainName }) => chainName === name));
  const isReached = reached.some((chain) => chain.assets.some((code) => assets?.includes(code)));
  if (assets === undefined || isReached) return null;
  return { field: "assets", rule: fieldProblems.none_on_left_chains.rule };
}

function namedEvents(events: readonly string[]) {
  return { events: events.join(", ") };
}
