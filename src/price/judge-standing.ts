import type { Standing } from "../domain/price/feed.ts";
import type { Price, PriceAnchor, PriceProof } from "../domain/price/price.ts";
import { isWithin } from "./decimal.ts";

/**
 * The most that a price from only one host may move in an hour, in ten thousandths: a fifth. Large
 * coins nearly always move less, and an invented price is rarely that close.
 */
const hourlyBps = 2_000n;

const hourMs = 3_600_000n;

/**
 * The use of a price, by the hosts that reported it.
 *
 * - `kept`: it is used. `isAnchor`: later prices are compared with it.
 * - `unshown`: only one of several hosts reports it, the others are silent, and nothing supports
 *   it. The earlier price stays.
 * - `refused`: the only host reports a price that cannot follow from its earlier one.
 */
export type Judgement =
  | { kind: "kept"; proof: PriceProof; isAnchor: boolean }
  | { kind: "unshown" | "refused"; reason: string };

/**
 * Decides whether a price is believed. No other code decides this.
 * @param anchor the earlier price to compare with; null: none
 */
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

/** True if a price may have moved this far between the two times that the source gives. */
function mayFollow(price: Price, before: Price): boolean {
  const passedMs = BigInt(Math.max(0, price.asOfMs - before.asOfMs));
  return isWithin(price.usd, before.usd, hourlyBps + (hourlyBps * passedMs) / hourMs);
}
