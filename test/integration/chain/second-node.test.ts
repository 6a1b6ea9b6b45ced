import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ANVIL_ACCOUNTS, startAnvil } from "../../support/chain/anvil.ts";
import { ether, wallet } from "../../support/chain/cast.ts";
import { startHardhat } from "../../support/chain/hardhat.ts";
import { deploy } from "../../support/chain/money-contracts.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";

const [payer, sender] = ANVIL_ACCOUNTS;

const nodes = { anvil: () => startAnvil({}), hardhat: startHardhat };

/**
 * Two implementations of a node, each proved block by block; traces are what only one of them has.
 */
describe.each(["anvil", "hardhat"] as const)("a chain as %s serves it", (name) => {
  let node: Awaited<ReturnType<(typeof nodes)[typeof name]>>;
  let token: Awaited<ReturnType<typeof deploy>>;
  let watched: WatchedChain;

  beforeAll(async () => {
    node = await nodes[name]();
    token = await deploy(node, "Token", { args: [6] });
    const tokens = [{ code: "TOK", address: token.address, decimals: 6 }];
    watched = await watchChain({ rpcUrl: node.rpcUrl, depth: 2, tokens });
    await watched.catchUp();
  });

  afterAll(async () => {
    await watched?.stop();
    await node?.stop();
  });

  const mine = (blocks: number) =>
    Promise.all(Array.from({ length: blocks }, () => node.rpc("evm_mine")));

  it("is proved by header, transactions and receipts, and traced where it can be", async () => {
    await watched.catchUp();
    const status = watched.chain.status();
    expect(status.verification).toEqual({ header: true, transactions: true, receipts: "root" });
    expect(status.tracing).toBe(name === "anvil" ? "debug" : "off");
  });

  it("shows deposits of coin and token, withdrawals, gas and failed sends, to the wei", async () => {
    const ids = [await watched.addWallet(wallet), await watched.addWallet(sender)] as const;
    await node.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await node.sendNative({ from: sender, to: wallet, amountAtomic: 2n * ether });
    await token.call(sender, "mint", [sender, 100n]);
    await token.call(sender, "transfer", [wallet, 40n]);
    // Hardhat also answers a failing send with an error, after it has mined it.
    await token.call(sender, "transfer", [wallet, 10n ** 30n]).catch(() => undefined);
    await mine(2);
    await watched.catchUp();

    expect(
      (await watched.history(ids[0])).map(({ type, asset, amountAtomic }) => [
        type,
        asset,
        amountAtomic,
      ]),
    ).toEqual([
      ["deposit", "ETH", ether],
      ["deposit", "ETH", 2n * ether],
      ["deposit", "TOK", 40n],
    ]);
    const sent = (await watched.history(ids[1])).map(({ type }) => type);
    expect(sent.filter((type) => type === "fee")).toHaveLength(4);
    for (const [index, address] of [wallet, sender].entries()) {
      expect(await watched.balances(ids[index] ?? "")).toEqual({
        ETH: await node.balance(address),
        TOK: await token.balanceOf(address),
      });
    }
  });

  it("drops what a reorg took back", async () => {
    const other = "0x0000000000000000000000000000000000000b0b";
    const id = await watched.addWallet(other);
    const before = await node.snapshot();
    await node.sendNative({ from: payer, to: other, amountAtomic: 5n });
    await watched.catchUp();
    expect((await watched.history(id)).map(({ status }) => status)).toEqual(["pending"]);
    await node.revert(before);
    await mine(3);
    await watched.catchUp();
    expect((await watched.history(id)).map(({ status }) => status)).toEqual(["dropped"]);
    expect((await watched.balances(id))["ETH"]).toBe(0n);
  });
});
