import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import type { ChainSource, TaggedBlock } from "../../domain/watch/chain-source.ts";
import { readTag } from "./confirmable.ts";

export type TargetChain = Pick<ChainSource, "head" | "header" | "tagged">;

/** A height to reach, with the head and the tag from which it follows. */
export type Target = { headNumber: bigint; tag: TaggedBlock | null; number: bigint };

/**
 * Reads the chain's confirmed height, as its endpoint reports it now. It is only a plan, and
 * confirms nothing. It is never too high. If every block above `from` is too young, it is `from`.
 */
export async function readTarget(
  chain: TargetChain,
  policy: ConfirmationPolicy,
  from: bigint,
): Promise<Target> {
  const [head, tag] = await Promise.all([chain.head(), readTag(chain, policy)]);
  const headNumber = head.number;
  const named =
    policy.kind === "age"
      ? await findAged(chain, { headNumber, from, ageMs: policy.ageMs })
      : (tag?.number ?? null);
  return { headNumber, tag, number: confirmedHeight(headNumber, policy, named) };
}

/**
 * Finds the highest block that is at least `ageMs` older than the head, or `from` if that is
 * higher. Reads about twenty headers.
 */
async function findAged(
  chain: Pick<ChainSource, "header">,
  of: { headNumber: bigint; from: bigint; ageMs: number },
): Promise<bigint> {
  const { headNumber, from, ageMs } = of;
  if (headNumber <= from) return from;
  const beforeMs = (await chain.header(headNumber)).timeMs - ageMs;
  let [old, young] = [from, headNumber];
  for (let step = 1n; headNumber - step > from; step *= 2n) {
    const { number, timeMs } = await chain.header(headNumber - step);
    if (timeMs <= beforeMs) {
      old = number;
      break;
    }
    young = number;
  }
  while (young - old > 1n) {
    const { number, timeMs } = await chain.header((old + young) / 2n);
    if (timeMs <= beforeMs) old = number;
    else young = number;
  }
  return old;
}
