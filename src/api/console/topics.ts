import type { Changes } from "../../domain/console/changes.ts";

/** The owner of the open pages. */
export type Audience = { kind: "business"; businessId: string } | { kind: "operator" };

/** A subject that a page reads again after a change. */
export type Topic =
  | "transactions"
  | "sightings"
  | "balance"
  | "deliveries"
  | "outbox"
  | "webhook"
  | "wallets"
  | "keys"
  | "chains"
  | "discrepancies"
  | "businesses"
  | "audit";

/** The topics that an audited action changes, by the noun in its name. */
const ofNoun: Readonly<Record<string, readonly Topic[]>> = {
  business: ["businesses"],
  key: ["keys"],
  wallet: ["wallets", "balance"],
  chain: ["chains"],
  webhook: ["webhook", "deliveries"],
  notification: ["deliveries"],
};

/**
 * The changed topics that this audience's pages show. A business is not told of other businesses'
 * changes.
 */
export function topicsOf(audience: Audience, changes: Changes): Set<Topic> {
  const isOurs = (businesses: ReadonlySet<string>) =>
    audience.kind === "operator" ? businesses.size > 0 : businesses.has(audience.businessId);
  const isOperator = audience.kind === "operator";
  const actions = changes.audited.filter(
    ({ businessId }) => isOperator || businessId === audience.businessId,
  );
  const topics = new Set<Topic>();
  const add = (...named: readonly Topic[]) => {
    for (const topic of named) topics.add(topic);
  };
  if (isOurs(changes.moved)) add("transactions", "balance", "deliveries");
  if (isOurs(changes.attempted)) add("deliveries");
  if (isOperator ? changes.haveSightingsChanged : isOurs(changes.sighted)) add("sightings");
  if (actions.length > 0) add("audit");
  for (const { action } of actions) add(...(ofNoun[action.split(".")[0] ?? ""] ?? []));
  // A business sees how many confirmations its transactions still wait for.
  if (changes.haveChainsMoved && (isOperator || isOurs(changes.waiting))) add("chains");
  if (!isOperator) return topics;
  if (changes.haveDiscrepanciesChanged) add("discrepancies");
  if (topics.has("deliveries")) add("outbox");
  return topics;
}
