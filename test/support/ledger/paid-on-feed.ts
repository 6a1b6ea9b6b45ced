import { onTestFinished } from "vitest";
import { createApiServer } from "../../../src/api/server.ts";
import type { TestApi } from "../api/test-api.ts";
import { newWallet, testChain } from "./ledger-fixtures.ts";
import { addWallets, configureChains } from "./steps.ts";
import { writtenChain } from "./written-chain.ts";

/** An API on a port until the test ends, and a chain whose deposits are notified at once. */
export async function paidOnFeed(api: TestApi) {
  await configureChains(api.db, [{ ...testChain, name: "one", chainId: 901 }], "removed");
  const chain = await writtenChain(api.db, "one");
  const { businessId } = api;
  const wallet = newWallet({ chainName: "one" });
  const [added] = await addWallets(api.db, { businessId, wallets: [wallet] });
  const deposit = { businessId, walletId: added?.id ?? "", address: wallet.address };
  const server = createApiServer(api.deps, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.stop());
  await server.start();
  /** Moves money in a confirmed block: a negative amount is a withdrawal. */
  async function move(...effects: bigint[]): Promise<void> {
    await chain.commit(effects.map((effectAtomic) => ({ ...deposit, effectAtomic })));
    await chain.commit([]);
    await chain.commit([]);
  }
  return {
    url: server.address().url,
    walletId: deposit.walletId,
    pay: (deposits: number) => move(...Array.from({ length: deposits }, () => 1n)),
    move,
    /** Takes so many blocks back, with what they moved, and writes as many empty ones. */
    async reverse(blocks: number) {
      await chain.undo(blocks);
      for (let written = 0; written < blocks; written += 1) await chain.commit([]);
    },
  };
}
