import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkLedger } from "../../../src/ledger/evidence/check-ledger.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { ether } from "../../support/chain/cast.ts";
import {
  type Contract,
  deploy,
  deployMoneyContracts,
} from "../../support/chain/money-contracts.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";

const [payer, sender] = ANVIL_ACCOUNTS;
const maxUint256 = 2n ** 256n - 1n;

const newAddress = () => `0x${randomBytes(20).toString("hex")}` as const;

/** Each way of reading internal transfers must see the same. */
describe.each(["debug", "parity"] as const)("money that moves on a real chain (%s)", (tracing) => {
  let anvil: Anvil;
  let watched: WatchedChain;
  let contracts: Awaited<ReturnType<typeof deployMoneyContracts>>;

  beforeAll(async () => {
    anvil = await startAnvil({});
    contracts = await deployMoneyContracts(anvil);
    const { tokens, silent, taxed, weth, loud } = contracts;
    const spec = (code: string, contract: Contract, decimals: number) => ({
      code,
      address: contract.address,
      decimals,
    });
    watched = await watchChain({
      rpcUrl: anvil.rpcUrl,
      depth: 1,
      tracing,
      tokens: [
        ...tokens.map(({ decimals, contract }) => spec(`T${decimals}`, contract, decimals)),
        spec("USDT", silent, 6),
        spec("TAX", taxed, 18),
        { ...spec("WETH", weth, 18), kind: "weth9" },
        { ...spec("LETH", loud, 18), kind: "weth9" },
      ],
    });
    await watched.catchUp();
  });

  afterAll(async () => {
    await watched?.stop();
    await anvil?.stop();
  });

  /** Watches an address, lets `move` happen, and answers what the ledger then has. */
  async function watching(address: string, move: () => Promise<unknown>) {
    const walletId = await watched.addWallet(address);
    await move();
    await watched.catchUp();
    const history = await watched.history(walletId);
    const balances = await watched.balances(walletId);
    expect(balances["ETH"], "the chain's own coin").toBe(await anvil.balance(address));
    expect(history.every(({ status }) => status === "completed")).toBe(true);
    return {
      walletId,
      balances,
      recorded: history.map(({ type, asset, amountAtomic }) => [type, asset, amountAtomic]),
      tracePaths: history.map(({ tracePath }) => tracePath),
    };
  }

  it("finds what a contract wallet pays to a watched one by an internal call", async () => {
    const { vault } = contracts;
    await anvil.sendNative({ from: payer, to: vault.address, amountAtomic: 5n * ether });
    const wallet = newAddress();
    const { recorded, tracePaths } = await watching(wallet, () =>
      vault.call(payer, "execute", [wallet, ether, "0x"]),
    );
    expect(recorded).toEqual([["deposit", "ETH", ether]]);
    expect(tracePaths).toEqual(["0"]);
  });

  it("finds what a watched contract wallet receives, and what others let it pay", async () => {
    const vault = await deploy(anvil, "Vault");
    const { recorded } = await watching(vault.address, async () => {
      await vault.sendData(payer, "0x", 3n * ether);
      await vault.call(payer, "execute", [newAddress(), ether, "0x"]);
    });
    expect(recorded).toEqual([
      ["deposit", "ETH", 3n * ether],
      ["withdrawal", "ETH", ether],
    ]);
  });

  it("finds each share of a disperse, equal ones too", async () => {
    const wallet = newAddress();
    const to = [newAddress(), wallet, wallet, wallet];
    const values = [ether, 2n, 2n, 3n];
    const { recorded } = await watching(wallet, () =>
      contracts.disperse.call(payer, "disperse", [to, values], ether + 7n),
    );
    expect(recorded.map(([, , amount]) => amount)).toEqual([2n, 2n, 3n]);
  });

  it("finds what a router passes on through many calls", async () => {
    const wallet = newAddress();
    const { recorded, tracePaths } = await watching(wallet, () =>
      contracts.router.call(payer, "route", [wallet, 5n], ether),
    );
    expect(recorded).toEqual([["deposit", "ETH", ether]]);
    expect(tracePaths).toEqual(["0.0.0.0.0.0"]);
  });

  it("finds what a destroyed contract leaves, also one that lived for one transaction", async () => {
    const bomb = await deploy(anvil, "Bomb", { amountAtomic: 4n });
    const wallet = newAddress();
    const { recorded } = await watching(wallet, async () => {
      await bomb.call(payer, "destroy", [wallet]);
      await contracts.factory.call(payer, "flash", [wallet], 5n);
    });
    expect(recorded).toEqual([
      ["deposit", "ETH", 4n],
      ["deposit", "ETH", 5n],
    ]);
  });

  it("finds the endowment of a contract that is created at a watched address, by either way", async () => {
    const { factory } = contracts;
    const salt = `0x${randomBytes(32).toString("hex")}`;
    const child = `0x${(await factory.read("childAt", [salt])).slice(-40)}`;
    const second = await watching(child, () => factory.call(payer, "create2", [salt], 6n));
    expect(second.recorded).toEqual([["deposit", "ETH", 6n]]);

    // The address of the next CREATE is where a trial run puts it.
    const trial = await anvil.snapshot();
    const receipt = await anvil.receipt(await factory.call(payer, "create", [], 7n));
    const created = `0x${receipt.logs[0]?.data.slice(-40)}`;
    await anvil.revert(trial);
    const first = await watching(created, () => factory.call(payer, "create", [], 7n));
    expect(first.recorded).toEqual([["deposit", "ETH", 7n]]);
  });

  it("finds the endowment of a contract that a transaction deploys", async () => {
    const nonce = Number(await anvil.rpc<string>("eth_getTransactionCount", payer, "latest"));
    const trial = await anvil.snapshot();
    const deployment = { from: payer, data: "0x60006000f3", value: "0x9" };
    const address = (await anvil.receipt(await anvil.send(deployment))).contractAddress;
    await anvil.revert(trial);
    expect(nonce).toBe(Number(await anvil.rpc<string>("eth_getTransactionCount", payer, "latest")));
    const { recorded } = await watching(address ?? "", async () =>
      anvil.receipt(await anvil.send(deployment)),
    );
    expect(recorded).toEqual([["deposit", "ETH", 9n]]);
  });

  it("counts nothing for a DELEGATECALL, which only shows the value around it", async () => {
    const payment = await deploy(anvil, "Payer");
    const proxy = await deploy(anvil, "Proxy", { args: [payment.address] });
    const wallet = newAddress();
    const { recorded } = await watching(proxy.address, () =>
      proxy.sendData(payer, payment.encode("pay", [wallet, 4n]), 10n).then(anvil.receipt),
    );
    expect(recorded).toEqual([
      ["deposit", "ETH", 10n],
      ["withdrawal", "ETH", 4n],
    ]);
    expect(await anvil.balance(payment.address)).toBe(0n);
  });

  it("counts nothing of a frame that failed or of what it had called, although its caller went on", async () => {
    const wallet = newAddress();
    const { recorded } = await watching(wallet, () =>
      contracts.catcher.call(payer, "tryThenPay", [wallet], 10n),
    );
    expect(recorded).toEqual([["deposit", "ETH", 5n]]);
  });

  it("counts nothing of a transaction that failed as a whole but its gas", async () => {
    const wallet = newAddress();
    const failing = () => contracts.catcher.call(sender, "payThenFail", [wallet], 10n);
    expect((await watching(wallet, failing)).recorded).toEqual([]);
    const { recorded } = await watching(sender, failing);
    expect(recorded.map(([type]) => type)).toEqual(["fee"]);
  });

  it("burns what a contract leaves to itself in the transaction that made it", async () => {
    const salt = `0x${randomBytes(32).toString("hex")}`;
    const { factory } = contracts;
    const before = await watching(factory.address, () =>
      factory.call(payer, "flashBurn", [salt], 8n),
    );
    expect(before.recorded).toEqual([
      ["deposit", "ETH", 8n],
      ["withdrawal", "ETH", 8n],
    ]);
  });

  it("is exact for tokens of 0, 6, 8, 18 and 27 decimals, and up to the largest uint256", async () => {
    const wallet = newAddress();
    const { balances, recorded } = await watching(wallet, async () => {
      for (const { contract, decimals } of contracts.tokens) {
        await contract.call(payer, "mint", [wallet, 10n ** BigInt(decimals) + 1n]);
      }
    });
    for (const { contract, decimals } of contracts.tokens) {
      expect(balances[`T${decimals}`]).toBe(10n ** BigInt(decimals) + 1n);
      expect(balances[`T${decimals}`]).toBe(await contract.balanceOf(wallet));
    }
    expect(recorded.every(([type]) => type === "deposit")).toBe(true);

    const whole = await deploy(anvil, "Token", { args: [18] });
    const rich = await watchChain({
      rpcUrl: anvil.rpcUrl,
      depth: 1,
      tracing,
      tokens: [{ code: "MAX", address: whole.address, decimals: 18 }],
    });
    try {
      await rich.catchUp();
      const walletId = await rich.addWallet(sender);
      await whole.call(payer, "mint", [sender, maxUint256]);
      await whole.call(sender, "transfer", [payer, maxUint256]);
      await whole.call(payer, "transfer", [sender, maxUint256 - 1n]);
      await rich.catchUp();
      expect((await rich.balances(walletId))["MAX"]).toBe(maxUint256 - 1n);
    } finally {
      await rich.stop();
    }
  });

  it("counts each log of a transaction that moves a token many times", async () => {
    const wallet = newAddress();
    const token = contracts.tokens[1]?.contract;
    await token?.call(payer, "mint", [payer, 100n]);
    await token?.call(payer, "approve", [contracts.disperse.address, 100n]);
    const args = [token?.address, [wallet, newAddress(), wallet], [3n, 4n, 3n]];
    const { recorded } = await watching(wallet, () =>
      contracts.disperse.call(payer, "disperseToken", args),
    );
    expect(recorded).toEqual([
      ["deposit", "T6", 3n],
      ["deposit", "T6", 3n],
    ]);
  });

  it("reads a token whose transfers answer nothing, a mint and a burn", async () => {
    const wallet = newAddress();
    await contracts.silent.call(payer, "mint", [payer, 50n]);
    const { recorded } = await watching(wallet, () =>
      contracts.silent.call(payer, "transfer", [wallet, 20n]),
    );
    expect(recorded).toEqual([["deposit", "USDT", 20n]]);
    const token = contracts.tokens[3]?.contract;
    const burning = await watching(ANVIL_ACCOUNTS[6], async () => {
      await token?.call(payer, "mint", [ANVIL_ACCOUNTS[6], 9n]);
      await token?.call(ANVIL_ACCOUNTS[6], "burn", [4n]);
    });
    expect(burning.balances["T18"]).toBe(5n);
  });

  it("counts of a token that keeps a fee what arrives", async () => {
    const wallet = newAddress();
    await contracts.taxed.call(payer, "mint", [payer, 1_000n]);
    const { balances } = await watching(wallet, () =>
      contracts.taxed.call(payer, "transfer", [wallet, 1_000n]),
    );
    expect(balances["TAX"]).toBe(990n);
    expect(balances["TAX"]).toBe(await contracts.taxed.balanceOf(wallet));
  });

  it.each(["WETH", "LETH"])("counts wrapping and unwrapping of %s once each", async (code) => {
    const weth = code === "WETH" ? contracts.weth : contracts.loud;
    const account = code === "WETH" ? ANVIL_ACCOUNTS[4] : ANVIL_ACCOUNTS[5];
    const { recorded, balances } = await watching(account, async () => {
      await weth.call(account, "deposit", [], 10n);
      await weth.call(account, "withdraw", [4n]);
    });
    expect(balances[code]).toBe(6n);
    expect(balances[code]).toBe(await weth.balanceOf(account));
    expect(recorded.filter(([type]) => type !== "fee")).toEqual([
      ["withdrawal", "ETH", 10n],
      ["deposit", code, 10n],
      ["deposit", "ETH", 4n],
      ["withdrawal", code, 4n],
    ]);
  });

  it.each([
    ["WETH", 7],
    ["LETH", 8],
  ])("counts a burn and an equal unwrapping of %s in one transaction twice", async (code, at) => {
    const weth = code === "WETH" ? contracts.weth : contracts.loud;
    const account = ANVIL_ACCOUNTS[at];
    if (account === undefined) throw new Error("anvil has ten accounts");
    const { recorded, balances } = await watching(account, async () => {
      await weth.call(account, "deposit", [], 10n);
      await weth.call(account, "leaveTwice", [3n]);
    });
    expect(await weth.balanceOf(account)).toBe(4n);
    expect(balances[code]).toBe(4n);
    expect(recorded.filter(([type, asset]) => type === "withdrawal" && asset === code)).toEqual([
      ["withdrawal", code, 3n],
      ["withdrawal", code, 3n],
    ]);
    expect((await checkLedger(watched.db)).findings).toEqual([]);
  });

  it("ignores zero amounts, spoofed logs and tokens that are not configured", async () => {
    const wallet = newAddress();
    const { recorded } = await watching(wallet, async () => {
      await contracts.spoofer.call(payer, "spoof", [wallet, payer, 5n]);
      await contracts.spoofer.call(payer, "spoof", [payer, wallet, 5n]);
      await contracts.tokens[1]?.contract.call(payer, "transfer", [wallet, 0n]);
      await contracts.vault.call(payer, "execute", [wallet, 0n, "0x"]);
    });
    expect(recorded).toEqual([]);
  });

  it("counts what a fee recipient earns as income, and notifies nobody of it", async () => {
    const miner = newAddress();
    const { recorded, walletId } = await watching(miner, async () => {
      await anvil.rpc("anvil_setCoinbase", miner);
      await anvil.sendNative({ from: payer, to: newAddress(), amountAtomic: 1n });
      await contracts.vault.call(payer, "execute", [newAddress(), 1n, "0x"]);
      await anvil.rpc("anvil_setCoinbase", `0x${"0".repeat(40)}`);
    });
    expect(recorded.map(([type]) => type)).toEqual(["income", "income"]);
    const notified = await watched.db.notification.count({ where: { transaction: { walletId } } });
    expect(notified).toBe(0);
  });
});
