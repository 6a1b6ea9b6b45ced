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
  return {
    url: server.address().url,
    walletId: deposit.walletId,
    async pay(deposits: number) {
      await chain.commit(Array.from({ length: deposits }, () => deposit));
      await chain.commit([]);
      await chain.commit([]);
    },
  };
}
