import { describe, expect, it } from "vitest";
import { createBusinessLedger } from "../../../../src/ledger/business-ledger.ts";
import { wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { commitMatched } from "../../../support/ledger/commit-matched.ts";

const largest = 2n ** 256n - 1n;

describe("amounts (I11)", () => {
  const { watched } = eachWatchedChain({ blocks: 2, depth: 1 });

  it("stay exact where ten of the largest uint256 are added up, which NUMERIC(78) could not hold", async () => {
    const walletId = await watched.addWallet(wallet);
    await watched.catchUp();
    const deposits = Array.from({ length: 10 }, () => ({ amountAtomic: largest }));
    const outcome = await commitMatched(watched, { walletId, address: wallet }, deposits);
    expect(outcome).toMatchObject({ kind: "committed", confirmed: 10 });
    const { holdings } = await createBusinessLedger(watched.db).readHoldings(watched.businessId);
    expect(holdings.map((holding) => holding.confirmedAtomic)).toEqual([10n * largest]);
  });

  it("may be negative in the ledger, and are then shown so", async () => {
    const walletId = await watched.addWallet(wallet);
    await watched.catchUp();
    await watched.db
      .$executeRaw`UPDATE balance SET confirmed = -5 WHERE wallet_id = ${walletId}::uuid`;
    const { holdings } = await createBusinessLedger(watched.db).readHoldings(watched.businessId);
    expect(holdings.map((holding) => holding.confirmedAtomic)).toEqual([-5n]);
  });
});
