import type { Profile } from "../profile.ts";
import type { Random } from "../random.ts";
import type { FakeBlock, FakeChain } from "./fake-chain.ts";

/** What a node knows while it answers: a branch up to a head, and the last of it that is final. */
export type View = { branch: readonly FakeBlock[]; head: number; final: number };

/** The chain itself, as a node knows it that is up to date. */
export function canonicalView(chain: FakeChain): View {
  const branch = chain.canonical();
  return { branch, head: branch.length - 1, final: chain.final() };
}

/**
 * Which node of the endpoint answers. One that lags or is on another branch may answer several
 * questions in a row.
 */
export type ViewOptions = {
  chain: () => FakeChain;
  profile: Profile;
  random: Random;
  isHealed: () => boolean;
  /** The branch that it makes up, where it is a liar. */
  invented: () => readonly FakeBlock[] | null;
  /** The height at which it stands still; null: it follows the chain. */
  frozenAt: () => number | null;
};

export function createView(options: ViewOptions): () => View {
  const { chain, profile, random, isHealed, invented, frozenAt } = options;
  let node: { view: () => View; answersLeft: number } | null = null;

  function upTo(height: number): View {
    const { branch, head, final } = canonicalView(chain());
    const lower = Math.max(0, Math.min(head, height));
    return { branch, head: lower, final: Math.min(final, lower) };
  }

  function pickNode() {
    const left = chain().left().slice(-2);
    const answersLeft = random.pick([1, 1, 3, 8, 20]);
    if (left.length > 0 && random.chance(profile.otherFork)) {
      const { branch, final } = random.pick(left);
      return { view: () => ({ branch, head: branch.length - 1, final }), answersLeft };
    }
    const lag = random.chance(profile.lag) ? random.int(1, 20) : 0;
    const lagging = () => upTo(canonicalView(chain()).head - lag);
    return { view: lagging, answersLeft: lag === 0 ? 1 : answersLeft };
  }

  return () => {
    if (isHealed()) return canonicalView(chain());
    const lie = invented();
    if (lie !== null) return { branch: lie, head: lie.length - 1, final: lie.length - 1 };
    const frozen = frozenAt();
    if (frozen !== null) return upTo(frozen);
    if (node === null || node.answersLeft <= 0) node = pickNode();
    node.answersLeft -= 1;
    return node.view();
  };
}
