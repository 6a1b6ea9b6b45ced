import { expect, onTestFinished, test } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { deployToken } from "../../../support/chain/token.ts";
import { watchChain } from "../../../support/chain/watched-chain.ts";
import { configureChains } from "../../../support/ledger/steps.ts";

test("an asset that leaves the configuration and comes back while a deposit is pending is counted once", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const token = await deployToken(anvil);
  await token.mint(payer, 1_000n);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 4, tokens: [token.asset] });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const walletId = await watched.addWallet(wallet);

  const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
  const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" } as const;
  const configure = (assets: (typeof native | typeof own)[]) =>
    configureChains(watched.db, [{ name: watched.chainName, chainId: 31_337, assets }], "removed");

  await token.transfer(payer, wallet, 5n);
  await anvil.mine(4);
  await token.transfer(payer, wallet, 7n);
  await watched.catchUp();
  await configure([native]);
  // Not watched: the ledger does not see it, the opening read later does.
  await token.transfer(payer, wallet, 11n);
  await watched.catchUp();
  await configure([native, own]);
  await token.transfer(payer, wallet, 13n);
  await anvil.mine(8);
  await watched.catchUp();

  const balance = await watched.db.balance.findFirstOrThrow({
    where: { walletId, asset: { code: "TST" } },
  });
  expect(BigInt(balance.confirmed.toFixed())).toBe(await token.balanceOf(wallet));
  expect(balance.pending.toFixed()).toBe("0");
  const entries = await watched.db.ledgerEntry.aggregate({
    where: { walletId, balance: { asset: { code: "TST" } } },
    _sum: { amount: true },
  });
  expect(entries._sum.amount?.toFixed()).toBe(balance.confirmed.toFixed());
});
