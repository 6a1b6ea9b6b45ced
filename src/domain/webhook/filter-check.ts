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

/** The field because of which a filter can match nothing, and the reason. */
export type FilterFault = { field: keyof WebhookFilter; rule: string };

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
  if (chain !== undefined)
    return { field: "blockchains", rule: `'${chain}' is not watched; ${knownText(chains)}` };
  const asset = unknown(filter.assets ?? [], assets);
  if (asset !== undefined)
    return { field: "assets", rule: `'${asset}' is not watched; ${knownText(assets)}` };
  const wallet = unknown(walletIds, wallets);
  if (wallet !== undefined)
    return { field: "walletIds", rule: `${wallet} is no wallet of the business` };
  const least = unknown(Object.keys(minAmount), filter.assets ?? assets);
  if (least !== undefined) {
    const where = filter.assets === undefined ? "watched" : "among assets";
    return { field: "minAmount", rule: `'${least}' is not ${where}` };
  }
  return null;
}

function knownText(known: readonly string[]): string {
  return known.length === 0 ? "nothing is yet" : `expected some of ${known.join(", ")}`;
}

const incoming = ["transaction.deposit", "transaction.payment"];

function faultOfTogether(filter: WebhookFilter, scope: FilterScope): FilterFault | null {
  const { events, blockchains, assets, walletIds, references } = filter;
  const isUnasked = (event: string) => scope.silentEvents.includes(event);
  if (events?.every(isUnasked)) {
    const rule = `ask the operator to notify you of ${events.join(", ")} first (--notify-pending)`;
    return { field: "events", rule };
  }
  const ofAssets = assetFields.find((field) => filter[field] !== undefined);
  const isSilent = (event: string) =>
    isUnasked(event) || (ofAssets !== undefined && scope.assetlessEvents.includes(event));
  if (ofAssets !== undefined && events?.every(isSilent))
    return { field: ofAssets, rule: `${events.join(", ")} is about no configured asset` };
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
    { isLeft: isOn, rule: "none of them is on one of blockchains" },
    { isLeft: isReferred, rule: "none of them has a reference that begins so" },
    { isLeft: isHeard, rule: "none of them has such events" },
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
  return { field: "assets", rule: "none of them is on a chain that is left" };
}
