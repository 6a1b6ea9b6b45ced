import type { Profile } from "../profile.ts";
import type { Random } from "../random.ts";
import { type Cast, plainCast } from "./cast.ts";

/** A plain chain on which much is reversed; what is special is what is done with its events. */
export function castStreams(random: Random, drawn: Profile): { cast: Cast; profile: Profile } {
  const profile: Profile = {
    ...drawn,
    blocks: random.int(25, 50),
    depth: random.pick([1, 1, 2, 3]),
    transactionsPerBlock: random.pick([1, 2, 3]),
    businesses: random.int(1, 2),
    wallets: random.int(2, 5),
    reorg: random.pick([0.05, 0.15, 0.3]),
    // What was notified is reversed, so a filter may have changed in between.
    deepReorg: random.pick([0.3, 0.6]),
    // What an asset that is away costs a filter is another matter: the other seeds have it.
    assetsChanged: 0,

    receiverGone: drawn.receiverGone / 5,
    webhookChanged: random.pick([0.03, 0.06, 0.1]),
  };
  const streams = {
    webhooks: random.pick([3, 8, 16]),
    consumerDies: random.pick([0, 0.01, 0.03]),
    restoredAfter: random.pick([null, random.int(20, 400), random.int(20, 2_000)]),
  };
  return { profile, cast: { ...plainCast(profile), reconciles: true, streams } };
}
