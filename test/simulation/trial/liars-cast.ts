import { type ConfirmationTag, usualWitness } from "../../../src/domain/chain/confirmation.ts";
import { catalogue } from "../../support/chain/liar/catalogue.ts";
import type { Profile } from "../profile.ts";
import type { Random } from "../random.ts";
import { type Cast, plainCast } from "./cast.ts";

/** One endpoint lies; the others are honest and answer. */
export function castLiars(random: Random, profile: Profile): { cast: Cast; profile: Profile } {
  const plain = plainCast(profile);
  const scene = random.weighted({ pair: 8, silentWitness: 4, frozenThird: 3, alone: 2 });
  const tag: ConfirmationTag | null = random.chance(0.4)
    ? random.pick(["finalized", "safe"] as const)
    : null;
  const endpoints = { pair: 2, silentWitness: 2, frozenThird: 3, alone: 1 }[scene];
  const leads = random.chance(0.5);
  const liarAt = leads ? 0 : endpoints - 1;
  const mode = random.pick(["prefer", "required"] as const);
  const patienceMs = random.pick([300_000, usualWitness.patienceMs]);
  const isAlone = scene === "alone";
  const onlyTags = isAlone ? (tag ?? "finalized") : null;
  const chosen = onlyTags ?? tag;
  return {
    profile: { ...honest(profile), endpoints },
    cast: {
      ...plain,
      policy: chosen === null ? plain.policy : { kind: "tag", tag: chosen },
      finalLag: chosen === null ? Number.POSITIVE_INFINITY : random.int(2, 16),
      witness: { patienceMs, mode, count: 2 },
      liar: {
        at: liarAt,
        lies: random.shuffle(liesAbout({ tag: chosen, onlyTags, profile })).slice(0, 12),
        invents: !isAlone && random.chance(0.6),
        aims: false,
      },
      // Of a lie that nobody contradicts for longer than the others are waited for, none can know.
      silent:
        scene === "silentWitness"
          ? { at: 1 - liarAt, longestMs: mode === "required" ? 3 * patienceMs : patienceMs / 3 }
          : null,
      frozen: scene === "frozenThird" ? 1 : null,
      reconciles: !isAlone,
    },
  };
}

/**
 * Whoever is no liar answers, and has all states. What is forged shows from the block's own hash.
 */
export function honest(profile: Profile): Profile {
  return {
    ...profile,
    isLiar: false,
    lag: 0,
    otherFork: 0,
    missing: 0,
    confused: 0,
    rpcError: 0,

    wrongChain: 0,
    stateGone: 0,
    stateBlocks: Number.POSITIVE_INFINITY,
    // What one was that is watched no more is not followed.

    walletRemoved: 0,
    assetsChanged: 0,
    chainReset: 0,
  };
}

/**
 * What is of interest where blocks are read by their roots, in that dialect of traces, and
 * confirmed by that tag. Branches are made up by the simulated chain itself, with senders that have
 * keys.
 */
function liesAbout(of: {
  tag: ConfirmationTag | null;
  onlyTags: ConfirmationTag | null;
  profile: Profile;
}): string[] {
  const { tag, onlyTags, profile } = of;
  return [...catalogue]
    .filter(([name, lie]) => {
      const { receipts, tracing = "debug", tag: ofTag, isLong, isByRange } = lie.reading;
      const isElsewhere = receipts !== undefined || isLong === true || isByRange === true;
      const isOfSocket = lie.isSocket === true || lie.beside !== undefined;
      if (isElsewhere || isOfSocket || lie.hasThird === true) return false;
      if (name.startsWith("branch that")) return false;
      // Of a tag above the position only others can know whether it is true.
      if (onlyTags !== null) return ofTag === onlyTags && !/is the head|ahead of|below/.test(name);
      return tracing === profile.tracing && (ofTag === undefined || ofTag === tag);
    })
    .map(([name]) => name);
}
