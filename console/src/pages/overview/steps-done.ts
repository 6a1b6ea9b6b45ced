import type { components } from "../../wire/generated/api-paths.ts";
import { stateOfKey } from "../parts/keys/state-of-key.ts";

/** The first steps of a business, in their order. */
export const firstSteps = ["wallet", "webhook", "delivered", "people", "limited"] as const;

export type FirstStep = (typeof firstSteps)[number];

type Key = components["schemas"]["ApiKey"];

/** The facts that the steps are told from. `people` are the names of the open sessions. */
type Facts = {
  wallets: number;
  webhooks: readonly { last_success_at: string | null }[];
  keys: readonly Pick<Key, "scopes" | "networks" | "expires_at" | "revoked_at">[];
  people: readonly string[];
};

/**
 * The steps that are done. A receiver that answered a notification has delivered. A second key that
 * may be used, or a session of another name, is a second person.
 */
export function stepsDone({ wallets, webhooks, keys, people }: Facts): ReadonlySet<FirstStep> {
  const usable = keys.filter((key) => stateOfKey(key) === "active");
  const isLimited = usable.some(
    ({ scopes, networks, expires_at: expires }) =>
      scopes.length > 0 || networks.length > 0 || expires !== null,
  );
  const done: Record<FirstStep, boolean> = {
    wallet: wallets > 0,
    webhook: webhooks.length > 0,
    delivered: webhooks.some(({ last_success_at: at }) => at !== null),
    people: usable.length > 1 || new Set(people).size > 1,
    limited: isLimited,
  };
  return new Set(firstSteps.filter((step) => done[step]));
}
