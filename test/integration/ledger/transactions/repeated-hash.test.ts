import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseAddress, zeroAddress } from "../../../../src/domain/chain/address.ts";
import { wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { commitMatchedBlocks, plainMatch } from "../../../support/ledger/commit-matched.ts";

const identity = createHash("sha256").update("one fee").digest("hex");
const fee = { identity, type: "fee", direction: "out" } as const;

describe("a transaction that two blocks hold, under one hash", () => {
  const { watched } = eachWatchedChain({ blocks: 2, depth: 1 });

  it.each(["newest", "range"] as const)(
    "is once in the later block, where both are written together (%s)",
    async (kind) => {
      const walletId = await watched.addWallet(wallet);
      await watched.catchUp();
      const to = { walletId, address: wallet };
      const blocks = [
        [{ amountAtomic: 9n }, { ...fee, amountAtomic: 3n }],
        [{ ...fee, amountAtomic: 2n }, { amountAtomic: 5n }],
      ];
      const outcome = await commitMatchedBlocks(watched, to, { kind, blocks });
      expect(outcome).toMatchObject({ kind: "committed", recorded: 3, confirmed: 3 });
      const told = (await watched.history(walletId)).map(({ type, amountAtomic }) => [
        type,
        amountAtomic,
      ]);
      expect(told).toEqual([
        ["deposit", 9n],
        ["fee", 2n],
        ["deposit", 5n],
      ]);
      expect((await watched.balances(walletId))["ETH"]).toBe(12n);
    },
  );

  it.each([
    ["completed", 0],
    ["pending", 1],
  ] as const)(
    "stays in the later block, where it is %s, while the earlier one is read again",
    async (status, depth) => {
      const { businessId, chainName, db, ledger } = watched;
      const walletId = await watched.addWallet(wallet);
      await watched.catchUp();
      const to = { walletId, address: wallet };
      const commit = (amountAtomic: bigint) =>
        commitMatchedBlocks(watched, to, {
          kind: "newest",
          blocks: [[{ ...fee, amountAtomic }]],
          depth,
        });
      await commit(3n);
      const { position } = await ledger.readChainState(chainName);
      if (position === null) throw new Error("the chain has started");
      await commit(2n);
      const read = async () => ({
        transactions: await db.transaction.findMany(),
        entries: await db.ledgerEntry.findMany(),
        balances: await db.balance.findMany(),
        notifications: await db.notification.count(),
      });
      const written = await read();
      const [moved] = written.transactions;
      expect(moved).toMatchObject({ status, blockNumber: position.number + 1n });

      const header = { ...position, parentHash: position.hash, timeMs: 1_700_000_000_000 };
      const parties = { fromAddress: parseAddress(wallet), toAddress: zeroAddress };
      const coin = { walletId, assetId: moved?.assetId ?? 0, txHash: position.hash, ordinal: 0 };
      const matched = [
        { ...plainMatch, ...fee, businessId, ...coin, ...parties, amountAtomic: 3n },
      ];
      const outcome = await ledger.recordFound({ chainName, header, matched });
      expect(outcome).toEqual({ kind: "recorded", confirmed: 0, notified: 0 });
      expect(await read()).toEqual(written);
    },
  );
});
