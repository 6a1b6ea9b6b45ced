import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { createBusinessLedger } from "../../../../src/ledger/business-ledger.ts";
import { wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";

const stranger = parseAddress("0x0000000000000000000000000000000000005a1e");
const largest = 2n ** 256n - 1n;

describe("amounts (I11)", () => {
  const { watched } = eachWatchedChain({ blocks: 2, depth: 1 });

  it("stay exact where ten of the largest uint256 are added up, which NUMERIC(78) could not hold", async () => {
    const walletId = await watched.addWallet(wallet);
    await watched.catchUp();
    const { ledger, chainName } = watched;
    const { position } = await ledger.readChainState(chainName);
    const list = await ledger.readWatchlist(chainName);
    const asset = list.assets.get("native");
    if (position === null || asset === undefined) throw new Error("the chain has started");
    const hash = `0x${"7".repeat(64)}` as const;
    const header = {
      number: position.number + 1n,
      hash,
      parentHash: position.hash,
      timeMs: 1_700_000_000_000,
    };
    const outcome = await ledger.commitBlock({
      chainName,
      parent: position,
      headers: [header],
      headNumber: position.number + 1n,
      watchVersion: list.version,
      isAgreed: true,
      isSettled: true,
      match: () => {
        const matched = Array.from({ length: 10 }, (_, ordinal) => ({
          identity: `largest-${ordinal}`,
          businessId: watched.businessId,
          walletId,
          assetId: asset.id,
          type: "deposit" as const,
          direction: "in" as const,
          amountAtomic: largest,
          txHash: hash,
          fromAddress: stranger,
          toAddress: parseAddress(wallet),
          ordinal,
          logIndex: null,
          tracePath: null,
          isUnproven: false,
          proof: "root" as const,
        }));
        return [{ header, matched }];
      },
      confirmedNumber: position.number + 1n,
    });
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
