import type { Standing } from "../domain/price/feed.ts";
import type { Price, PriceAnchor, PriceProof } from "../domain/price/price.ts";
import { isWithin } from "./decimal.ts";

/**
 * The most that a price may move in an hour on the word of one host, in ten thousandths: a fifth.
 * Large coins move less in nearly every hour, and an invented price is rarely so near.
 */
const hourlyBps = 2_000n;

const hourMs = 3_600_000n;

/**
 * The use of a price, by the hosts that said it.
 *
 * - `kept`: it is used. `isAnchor`: later words are held against it.
 * - `unshown`: one host says it beside others that are silent, and nothing shows it. The price
 *   before it stays.
 * - `refused`: the only host says what cannot follow from what it said before.
 */
export type Judgement =
  | { kind: "kept"; proof: PriceProof; isAnchor: boolean }
  | { kind: "unshown" | "refused"; reason: string };

/** The one place that decides whether a price is believed. `anchor`: null where there is none. */
export function judgeStanding(
  standing: Standing,
  price: Price,
  anchor: Pick<PriceAnchor, "usd" | "asOfMs" | "proof"> | null,
): Judgement {
  switch (standing) {
    case "agreed":
      return { kind: "kept", proof: "agreed", isAnchor: true };
    case "silent":
      if (anchor?.proof !== "agreed")
        return { kind: "unshown", reason: "only one host says it, and no two hosts have yet" };
      if (!mayFollow(price, anchor))
        return { kind: "unshown", reason: `only one host says it, far from ${anchor.usd}` };
      return { kind: "kept", proof: "answered", isAnchor: false };
    case "alone":
      if (anchor !== null && !mayFollow(price, anchor))
        return { kind: "refused", reason: `it is ${price.usd}, far from ${anchor.usd}` };
      return { kind: "kept", proof: "answered", isAnchor: true };
  }
}

/** True if a price may have moved so far in the time between the two, by the source's own times. */
function mayFollow(price: Price, before: Price): boolean {
  const passedMs = BigInt(Math.max(0, price.asOfMs - before.asOfMs));
  return isWithin(price.usd, before.usd, hourlyBps + (hourlyBps * passedMs) / hourMs);
}
