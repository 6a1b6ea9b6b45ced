import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import type { ChainSource, TaggedBlock } from "../../domain/watch/chain-source.ts";
import { readTag } from "./confirmable.ts";

export type TargetChain = Pick<ChainSource, "head" | "header" | "tagged">;

/** A height to reach, with the head and the tag that it follows from. */
export type Target = { headNumber: bigint; tag: TaggedBlock | null; number: bigint };

/**
 * The confirmed height of the chain itself, by what its endpoint says now: a plan, which nothing is
 * confirmed by. Not above it, and perhaps far below it where only `from` is near enough to the head
 * for all to be the same.
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
 * The highest block that is so much older than the head; `from` where it is not above that. Some
 * twenty headers are asked for.
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
