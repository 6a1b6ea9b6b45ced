import { usualWitness } from "../../../src/domain/chain/confirmation.ts";
import { catalogue } from "../../support/chain/liar/catalogue.ts";
import type { Fork } from "../chain/eras.ts";
import type { Profile } from "../profile.ts";
import type { Random } from "../random.ts";
import { type Cast, plainCast } from "./cast.ts";
import { honest } from "./liars-cast.ts";
import { ownLies } from "./own-lies.ts";

type Drawn = { cast: Cast; profile: Profile };

/** How often each is drawn. */
const weights = { tag: 2, branches: 2, tracer: 3, accessLists: 2, payer: 2, openings: 2 };

const scenes: Record<keyof typeof weights, (random: Random, plain: Drawn) => Drawn> = {
  tag: aboutTags,
  branches: aboutBranches,
  tracer: aboutTraces,
  accessLists: aboutAccessLists,
  payer: aboutPayers,
  openings: aboutOpenings,
};

/**
 * A liar that knows whose wallets are watched, where only one thing stands between its lie and the
 * ledger.
 */
export function castAimed(random: Random, profile: Profile): Drawn {
  const scene = random.weighted(weights);
  return scenes[scene](random, { cast: plainCast(profile), profile: honest(profile) });
}

/**
 * The only endpoint calls a block final that is not, and gives it another hash: nothing but that
 * gives it away.
 */
function aboutTags(random: Random, { cast, profile }: Drawn): Drawn {
  return {
    profile: { ...profile, endpoints: 1 },
    cast: {
      ...cast,
      finalLag: random.int(2, 16),
      policy: { kind: "tag", tag: "finalized" },
      liar: { at: 0, lies: [...ownLies.keys()], invents: false, aims: true },
    },
  };
}

/**
 * The endpoint that leads makes up whole branches without a flaw: only another one can say that the
 * chain is not on them.
 */
function aboutBranches(random: Random, { cast, profile }: Drawn): Drawn {
  const endpoints = random.int(2, 3);
  return {
    profile: { ...profile, endpoints },
    cast: {
      ...cast,
      witness: { ...usualWitness, mode: "required" },
      reconciles: true,
      liar: { at: 0, lies: [], invents: true, aims: true },
      frozen: endpoints === 3 && random.chance(0.5) ? 2 : null,
    },
  };
}

/** No endpoint but the liar has traces: what it makes up of the coin shows from balances alone. */
function aboutTraces(random: Random, { cast, profile }: Drawn): Drawn {
  const isAlone = random.chance(0.3);
  const start = profile.tracing === "debug" ? "trace invents" : "parity trace invents";
  const isBelievedAlone = (name: string) => name.includes("balances");
  return {
    profile: { ...profile, endpoints: isAlone ? 1 : 2 },
    cast: {
      ...cast,
      reconciles: !isAlone,
      liar: {
        at: 0,
        lies: namesOf((name) => name.startsWith(start) && !(isAlone && isBelievedAlone(name))),

        invents: false,
        aims: true,
      },
      lacking: isAlone ? null : { at: 1, what: "traces" },
    },
  };
}

/**
 * The amounts are true, and who paid is not: no balance shows that, only a signature, or another
 * host's trace.
 */
function aboutPayers(_: Random, { cast, profile }: Drawn): Drawn {
  return {
    profile: { ...profile, endpoints: 2, tracing: "debug", wallets: 5, transactionsPerBlock: 5 },
    cast: {
      ...cast,
      reconciles: true,
      witness: { ...usualWitness, mode: "required" },
      liar: {
        at: 0,
        lies: ["trace changes who paid", "sender changed everywhere"],
        invents: false,
        aims: true,
      },
    },
  };
}

/**
 * Wallets are added while the honest endpoint has no states, and the other one says what they begin
 * with.
 */
function aboutOpenings(random: Random, { cast, profile }: Drawn): Drawn {
  const isMeant = (name: string) => name.includes("openings");
  const at = random.int(0, 1);
  return {
    profile: { ...profile, endpoints: 2, wallets: 1, walletAdded: 0.01 },
    cast: {
      ...cast,
      reconciles: true,
      witness: { ...usualWitness, mode: "required" },
      liar: { at, lies: namesOf(isMeant), invents: false, aims: true },
      lacking: { at: 1 - at, what: "states" },
    },
  };
}

/**
 * From Amsterdam on a block's access list shows what each transaction has changed, and its header
 * has the list's hash.
 */
function aboutAccessLists(random: Random, { cast, profile }: Drawn): Drawn {
  const forks: Fork[] = [
    { at: Math.max(1, profile.blocksBefore + random.int(-8, 8)), era: "amsterdam" },
  ];
  return {
    // Its states are there, and endpoints give lists: see createFaultyAnswers.
    profile: {
      ...profile,
      blocksBefore: 3 * Math.ceil(profile.blocksBefore / 3) + 1,

      endpoints: random.int(1, 2),
      forged: 0.15,
      confused: 0,
      missing: 0,
    },
    cast: { ...cast, forks },
  };
}

function namesOf(isMeant: (name: string) => boolean): string[] {
  return [...catalogue.keys()].filter(isMeant);
}
