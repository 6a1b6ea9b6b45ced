import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { commitMatchedBlocks } from "../../../support/ledger/commit-matched.ts";

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
});
