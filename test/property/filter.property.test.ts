import fc from "fast-check";
import { expect, it } from "vitest";
import { exactOf } from "../../src/domain/exact.ts";
import { matches, type WebhookFilter } from "../../src/domain/webhook/filter.ts";
import { isNamed } from "../support/delivery/judge-filter.ts";

const events = ["transaction.deposit", "transaction.reversed"];
const chains = ["ethereum", "base"];
const codes = ["ETH", "USDC"];
const wallets = ["wallet 1", "wallet 2"];
const references = ["shop-1", "shop-17", "bar"];
/** Few, so that two of them are often alike. */
const decimals = fc.constantFrom("0", "0.000001", "1", "1.50", "1.5", "1000", "999.999999999999");

const someOf = (values: string[]) => fc.subarray(values, { minLength: 1 });

const filters = fc.record(
  {
    events: someOf(events),
    blockchains: someOf(chains),
    assets: someOf(codes),
    walletIds: someOf(wallets),
    references: someOf(["shop-", "shop-17", "b", "x"]),
    minAmount: fc.dictionary(fc.constantFrom(...codes), decimals, { minKeys: 1 }),
    minUsd: decimals,
  },
  { requiredKeys: [] },
) satisfies fc.Arbitrary<WebhookFilter>;

const told = fc.record({
  event: fc.constantFrom(...events),
  data: fc.record({
    blockchain: fc.constantFrom(...chains),
    asset: fc.constantFrom(...codes),
    walletId: fc.constantFrom(...wallets),
    reference: fc.option(fc.constantFrom(...references)),
    amount: decimals,
  }),
});

it("a filter names what docs/contract.md#filters says, by a judge that is written from it alone", () => {
  const seen = { named: 0, leftOut: 0 };
  fc.assert(
    fc.property(filters, told, fc.constantFrom(null, "1", "0.5", "2000.25"), (filter, one, usd) => {
      const { blockchain, asset, walletId, reference, amount } = one.data;
      const worth = usd === null ? null : exactOf(product(amount, usd));
      const isMatched = matches(filter, {
        event: one.event,
        chainName: blockchain,
        assetCode: asset,
        walletId,
        reference,
        amount: exactOf(amount),
        worth,
      });
      expect(isMatched).toBe(isNamed(filter, one, usd));
      seen[isMatched ? "named" : "leftOut"] += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(Math.min(seen.named, seen.leftOut)).toBeGreaterThan(100);
});

/** Of two decimals, without rounding. */
function product(one: string, other: string): string {
  const [a, b] = [one, other].map((text) => {
    const [whole = "0", part = ""] = text.split(".");
    return { digits: BigInt(whole + part), places: part.length };
  });
  const places = (a?.places ?? 0) + (b?.places ?? 0);
  const text = ((a?.digits ?? 0n) * (b?.digits ?? 0n)).toString().padStart(places + 1, "0");
  const at = text.length - places;
  return places === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`;
}
