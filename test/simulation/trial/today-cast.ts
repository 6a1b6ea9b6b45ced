import { type Era, eras, type Fork } from "../chain/eras.ts";
import type { Pruned } from "../chain/pruned.ts";
import type { Profile } from "../profile.ts";
import type { Random } from "../random.ts";
import { type Cast, plainCast } from "./cast.ts";

type Drawn = { cast: Cast; profile: Profile };

/**
 * Chains as they are today: a block every 200 ms, a fork in the middle of a run, nodes that have
 * forgotten.
 */
export function castToday(random: Random, profile: Profile): Drawn {
  const plain: Drawn = { profile, cast: plainCast(profile) };
  const fast = random.chance(0.5) ? withFastBlocks(random, plain) : plain;
  return random.chance(0.4) ? withPrunedLogs(random, fast) : withForks(random, fast);
}

/**
 * A block comes before the one before it has been read: most hold nothing, and many are read at
 * once.
 */
function withFastBlocks(random: Random, { cast, profile }: Drawn): Drawn {
  const ageMs = random.pick([2_000, 6_000, 15_000]);
  const isByAge = random.chance(0.6);
  return {
    profile: {
      ...profile,
      transactionsPerBlock: 1,
      blocks: random.int(150, 260),

      mined: random.pick([0.15, 0.3]),
      depth: random.pick([3, 12, 30]),
      reorg: profile.reorg / 4,
    },
    cast: {
      ...cast,
      blockMs: 200,
      farBlocks: random.pick([8, 40, 256]),
      policy: isByAge ? { kind: "age", ageMs } : cast.policy,
    },
  };
}

/**
 * One fork or more, the last of them perhaps to a form that nobody knows: then two endpoints have
 * to agree.
 */
function withForks(random: Random, { cast, profile }: Drawn): Drawn {
  const last: Era = random.pick([
    "cancun",
    "prague",
    "amsterdam",
    "amsterdam",
    "tomorrow",
    "tomorrow",
  ]);
  const first = random.int(1, eras.indexOf(last));
  const forks: Fork[] = [];
  let at = profile.blocksBefore + random.int(-4, 15);
  for (const era of eras.slice(first, eras.indexOf(last) + 1)) {
    forks.push({ at: Math.max(1, at), era });
    at += random.int(1, 20);
  }
  const unreadable = random.pick(["agreed", "required, then agreed"] as const);
  const isUnknown = last === "tomorrow";
  return {
    profile: isUnknown ? { ...unforged(profile), endpoints: random.int(2, 3) } : profile,
    cast: { ...cast, forks, unreadable },
  };
}

/** Without a header's proof only logs say what moved, and an endpoint has forgotten them. */
function withPrunedLogs(random: Random, { cast, profile }: Drawn): Drawn {
  const endpoints = random.int(1, 3);
  const blocksBefore = random.int(60, 120);
  const pruned: Pruned = {
    at: random.int(0, endpoints - 1),
    keeps: random.int(2, 50),
    logs: random.pick(["error 4444", "empty"]),
    receipts: random.pick(["there", "error 4444", "empty", "null"]),
    saysSo: random.chance(0.3),
  };
  return {
    profile: { ...unforged(profile), endpoints, blocksBefore, startsAt: "block" },
    cast: {
      ...cast,
      pruned,
      tracing: "off",
      farBlocks: random.int(4, 16),
      proof: { header: false, transactions: false, receipts: "none" },
    },
  };
}

/** What is forged shows from roots only. */
function unforged(profile: Profile): Profile {
  return { ...profile, forged: 0, confused: 0 };
}
