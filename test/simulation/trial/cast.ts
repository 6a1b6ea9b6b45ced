import type { BlockProof, TracingChoice } from "../../../src/domain/chain/block-proof.ts";
import {
  type ConfirmationPolicy,
  usualWitness,
  type WitnessPolicy,
} from "../../../src/domain/chain/confirmation.ts";
import type { Fork } from "../chain/eras.ts";
import type { Pruned } from "../chain/pruned.ts";
import type { Profile } from "../profile.ts";

/**
 * What is special about a seed's chain and endpoints beside its profile's faults, and how the chain
 * is confirmed.
 */
export type Cast = {
  policy: ConfirmationPolicy;
  /** How far the `finalized` block is below the head. */
  finalLag: number;
  witness: WitnessPolicy;
  liar: Liar | null;
  silent: Silent | null;
  /** The endpoint that stops following the chain; null: none does. */
  frozen: number | null;
  /**
   * The endpoint that has the traces, or the states, of no block; null: all have them as far as the
   * profile says.
   */
  lacking: { at: number; what: Lacking } | null;
  /** Ledger and chain are compared all the while. */
  reconciles: boolean;
  /** What the headers have, from which heights on. */
  forks: readonly Fork[];
  /** ms between blocks; null: some seconds, and none now and then. */
  blockMs: number | null;
  /**
   * Whether a block of an unknown form is taken where endpoints agree: never, always, or once the
   * operator said so.
   */
  unreadable: "required" | "agreed" | "required, then agreed";
  proof: BlockProof;
  tracing: TracingChoice;
  /** See BlockStep. */
  farBlocks: number;
  pruned: Pruned | null;
  /** Businesses with many webhooks, and consumers of the feed; null: one webhook each. */
  streams: Streams | null;
};

/** Many webhooks with filters and orders, and consumers of the feed. */
type Streams = {
  /** As many as a business begins with. It may have 16. */
  webhooks: number;
  /** Chance at each moment that one of the consumers is killed. */
  consumerDies: number;
  /**
   * After how many turns of healing the ledger is restored to the beginning of them; null: never.
   */
  restoredAfter: number | null;
};

export type Lacking = "traces" | "states";

type Liar = {
  /** Its place among the endpoints. */
  at: number;
  /** Names of the catalogue: what it may tell. */
  lies: readonly string[];
  /** That it makes up whole branches, too, which are without a flaw in themselves. */
  invents: boolean;
  /**
   * That it knows whose wallets are watched, and lies about those; else about whoever it comes
   * upon.
   */
  aims: boolean;
};

/** An endpoint that never answers, for a while, again and again. */
type Silent = { at: number; longestMs: number };

/** Everybody says what they know, as far as they work. */
export function plainCast(profile: Profile): Cast {
  return {
    policy: { kind: "depth", depth: profile.depth },
    finalLag: Number.POSITIVE_INFINITY,
    witness: usualWitness,

    liar: null,
    silent: null,
    frozen: null,
    lacking: null,
    reconciles: false,

    forks: [],
    blockMs: null,
    unreadable: "required",
    pruned: null,
    streams: null,
    farBlocks: 256,
    proof: { header: true, transactions: true, receipts: "root" },
    tracing: "auto",
  };
}
