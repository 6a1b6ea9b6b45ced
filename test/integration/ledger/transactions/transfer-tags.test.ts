import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { toChecksum } from "../../../../src/domain/chain/checksum.ts";
import { createBusinessLedger } from "../../../../src/ledger/business-ledger.ts";
import { wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { commitMatched } from "../../../support/ledger/commit-matched.ts";
import { newWallet } from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../../support/ledger/steps.ts";

const memo = `0x${"4d".repeat(32)}` as const;
const virtualAddress = parseAddress(`0x0a1b2c3d${"fd".repeat(10)}000000000007`);
const tag = { memo, virtualAddress };
const none = { memo: null, virtualAddress: null };

describe("what a payment on Tempo has with it", () => {
  const { watched } = eachWatchedChain({ blocks: 2, depth: 1 });

  it("is shown with its transaction, and is in its notification only where there is any", async () => {
    const walletId = await watched.addWallet(wallet);
    await watched.catchUp();
    await commitMatched(watched, { walletId, address: wallet }, [tag, {}]);

    const { businessId } = watched;
    const { readTransactions, readTransaction } = createBusinessLedger(watched.db);
    const filter = { types: ["deposit"] as const };
    const page = { limit: 10, afterId: null };
    const { rows } = await readTransactions({ businessId, filter, page });
    expect(rows).toMatchObject([none, tag]);
    const [, tagged] = rows;
    const detail = await readTransaction({ businessId, transactionId: tagged?.id ?? "" });
    expect(detail).toMatchObject(tag);

    const notifications = await watched.db.notification.findMany();
    const said = new Map(
      notifications.map(({ transactionId, body }) => [transactionId, JSON.parse(body).data]),
    );
    const [plain, other] = rows.map(({ id }) => said.get(id));
    expect(other).toMatchObject({ memo, virtualAddress: toChecksum(virtualAddress) });
    expect(Object.keys(plain)).not.toContain("memo");
    expect(Object.keys(plain)).not.toContain("virtualAddress");
  });

  it("a virtual address is no wallet on such a chain, since it holds nothing, and may be one on others", async () => {
    await watched.db.chain.create({ data: { name: "tempo", evmChainId: 4_217n } });
    const { db, businessId } = watched;
    const add = (chainName: string) =>
      addWallets(db, {
        businessId,
        wallets: [{ ...newWallet(), chainName, address: virtualAddress }],
      });
    await expect(add("tempo")).rejects.toMatchObject({
      code: "invalid_address",
      message: expect.stringContaining("add the master wallet"),
    });
    expect(await add(watched.chainName)).toHaveLength(1);
  });
});
