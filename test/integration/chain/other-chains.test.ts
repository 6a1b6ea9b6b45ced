import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { wallet } from "../../support/chain/cast.ts";
import { compileSolidity } from "../../support/chain/contracts.ts";
import { deploy } from "../../support/chain/money-contracts.ts";
import { startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";

const [payer, depositor] = ANVIL_ACCOUNTS;

let anvil: Anvil | null = null;
let watched: WatchedChain | null = null;

afterEach(async () => {
  await watched?.stop();
  await anvil?.stop();
  watched = null;
  anvil = null;
});

const toldOf = async (watching: WatchedChain, walletId: string) =>
  (await watching.history(walletId)).map(({ type, amountAtomic }) => [type, amountAtomic]);

describe("a fork", () => {
  it.each(["london", "paris", "shanghai", "cancun", "prague", "osaka"])(
    "%s: its headers, transactions and receipts are proved",
    async (fork) => {
      const node = await startAnvil({ args: ["--hardfork", fork] });
      anvil = node;
      const token = await deploy(node, "Token", { args: [6] });
      await token.call(payer, "mint", [wallet, 7n]);
      const old = { from: payer, to: wallet, value: "0x5" };
      await node.send({ ...old, type: "0x0", gasPrice: "0x77359400" });
      const listed = [{ address: wallet, storageKeys: [`0x${"1".repeat(64)}`] }];
      await node.send({ ...old, type: "0x1", gasPrice: "0x77359400", accessList: listed });
      const watching = await watchChain({ rpcUrl: node.rpcUrl, depth: 1, startBlock: 1n });
      watched = watching;
      await watching.catchUp();
      const position = await watching.ledger.readPosition(watching.chainName);
      expect(position?.number).toBe(4n);
      expect(watching.chain.status().verification.header).toBe(true);
    },
  );
});

describe("an OP-stack chain", () => {
  it("proves its deposit receipts, and counts coin that is minted for a wallet as income", async () => {
    const node = await startAnvil({ args: ["--network", "optimism"] });
    anvil = node;
    const token = await deploy(node, "Token", { args: [6] });
    const catcher = await deploy(node, "Catcher");
    const tokens = [{ code: "TOK", address: token.address, decimals: 6 }];
    const watching = await watchChain({
      rpcUrl: node.rpcUrl,
      depth: 1,
      receipts: "root-op",
      tokens,
    });
    watched = watching;
    await watching.catchUp();
    const ids = [await watching.addWallet(depositor), await watching.addWallet(wallet)] as const;

    const bring = async (source: string, to: string, data = "0x") =>
      node.receipt(
        await node.send({
          from: depositor,
          to,
          value: "0x5",
          data,
          mint: "0x9",
          gas: "0x30d40",

          type: "0x7e",
          sourceHash: `0x${source.repeat(64)}`,
          isSystemTx: false,
        }),
      );
    await bring("1", wallet);
    const failed = await bring("2", catcher.address, catcher.encode("payThenFail", [wallet]));
    expect(failed.status).toBe("0x0");
    await token.call(payer, "mint", [wallet, 7n]);
    await watching.catchUp();

    expect(await toldOf(watching, ids[0])).toEqual([
      ["income", 9n],
      ["withdrawal", 5n],
      ["income", 9n],
    ]);
    expect(await toldOf(watching, ids[1])).toEqual([
      ["deposit", 5n],
      ["deposit", 7n],
    ]);
    expect((await watching.balances(ids[0]))["ETH"]).toBe(await node.balance(depositor));
  });
});

describe("a chain whose coin is also a token", () => {
  // As Celo's: the token moves the coin by a precompile, which no trace shows as a call with value.
  const source = `
    // SPDX-License-Identifier: MIT
    pragma solidity ^0.8.0;
    contract Gold {
      event Transfer(address indexed from, address indexed to, uint256 value);
      function transfer(address to, uint256 value) external returns (bool) {
        (bool ok, ) = address(0xfd).call(abi.encode(msg.sender, to, value));
        require(ok);
        emit Transfer(msg.sender, to, value);
        return true;
      }
    }`;
  const gold = "0x471ece3750da237f93b8e339c536989b8978a438";

  it("counts a transfer of either form once", async () => {
    const node = await startAnvil({ args: ["--celo"] });
    anvil = node;
    const { Gold } = await compileSolidity(source);
    const made = await node.receipt(await node.send({ from: payer, data: Gold?.bytecode }));
    await node.rpc(
      "anvil_setCode",
      gold,
      await node.rpc("eth_getCode", made.contractAddress, "latest"),
    );
    const watching = await watchChain({
      rpcUrl: node.rpcUrl,
      depth: 1,
      nativeAliases: [{ address: gold, logs: "moves", decimals: 18 }],
    });
    watched = watching;
    await watching.catchUp();
    const id = await watching.addWallet(wallet);
    await node.sendNative({ from: payer, to: wallet, amountAtomic: 3n });
    const data = `0xa9059cbb${wallet.slice(2).padStart(64, "0")}${"4".padStart(64, "0")}`;
    const sent = await node.receipt(await node.send({ from: payer, to: gold, data }));
    expect(sent.status).toBe("0x1");
    await watching.catchUp();
    expect(await toldOf(watching, id)).toEqual([
      ["deposit", 3n],
      ["deposit", 4n],
    ]);
    expect((await watching.balances(id))["ETH"]).toBe(await node.balance(wallet));
  });
});

describe("a chain whose coin logs each move, and what it makes", () => {
  // As zkSync's: what the parent chain brings, or pays back, is logged as Mint alone.
  const source = `
    // SPDX-License-Identifier: MIT
    pragma solidity ^0.8.0;
    contract Coin {
      event Mint(address indexed account, uint256 amount);
      function mint(address payable account) external payable {
        account.transfer(msg.value);
        emit Mint(account, msg.value);
      }
    }`;
  const coin = "0x000000000000000000000000000000000000800a";

  it("finds coin that was made for a wallet, far below the head as at the head", async () => {
    const node = await startAnvil({});
    anvil = node;
    const { Coin } = await compileSolidity(source);
    const made = await node.receipt(await node.send({ from: payer, data: Coin?.bytecode }));
    await node.rpc(
      "anvil_setCode",
      coin,
      await node.rpc("eth_getCode", made.contractAddress, "latest"),
    );
    const watching = await watchChain({
      rpcUrl: node.rpcUrl,
      depth: 1,
      startBlock: 1n,
      receipts: "none",
      farBlocks: 8n,
      nativeAliases: [{ address: coin, logs: "all", decimals: 18 }],
    });
    watched = watching;
    await watching.catchUp();
    const id = await watching.addWallet(wallet);
    const data = `0x6a627842${wallet.slice(2).padStart(64, "0")}`;
    const mint = (value: string) => node.send({ from: payer, to: coin, value, data });
    await node.mine(20);
    await mint("0x3");
    await node.mine(20);
    await watching.catchUp();
    await mint("0x4");
    await watching.catchUp();
    expect(await toldOf(watching, id)).toEqual([
      ["income", 3n],
      ["income", 4n],
    ]);
    expect((await watching.balances(id))["ETH"]).toBe(await node.balance(wallet));
  });
});

describe("a chain that counts its logs with gaps", () => {
  it("refuses the block of a log index that no ledger can store", async () => {
    const node = await startAnvil({ args: ["--chain-id", "25"] });
    anvil = node;
    const proxy = await startRpcProxy(node.rpcUrl);
    onTestFinished(proxy.stop);
    const token = await deploy(node, "Token", { args: [6] });
    const tokens = [{ code: "TOK", address: token.address, decimals: 6 }];
    const watching = await watchChain({ rpcUrl: proxy.url, depth: 1, chainId: 25, tokens });
    watched = watching;
    await watching.catchUp();
    const walletId = await watching.addWallet(wallet);
    await token.call(payer, "mint", [wallet, 7n]);
    const at = (logIndex: string) =>
      proxy.misbehave(async ({ method }, forward) => {
        if (method !== "eth_getBlockReceipts") return null;
        const receipts = (await forward()) as { logs: object[] }[];
        const counted = (log: object) => ({ ...log, logIndex });
        return { result: receipts.map((one) => ({ ...one, logs: one.logs.map(counted) })) };
      });
    at("0x80000000");
    await expect(watching.catchUp()).rejects.toThrow(/log index 2147483648/);
    at("0x7fffffff");
    await watching.catchUp();
    const [deposit] = await watching.db.transaction.findMany({ where: { walletId } });
    expect(deposit).toMatchObject({ type: "deposit", logIndex: 2_147_483_647 });
  });
});

describe("a chain that is confirmed by its own tags", () => {
  it("confirms what it calls safe, and not before", async () => {
    const node = await startAnvil({});
    anvil = node;
    await node.mine(70);
    const watching = await watchChain({ rpcUrl: node.rpcUrl, depth: 1, tag: "safe" });
    watched = watching;
    await watching.catchUp();
    const id = await watching.addWallet(wallet);
    const hash = await node.sendNative({ from: payer, to: wallet, amountAtomic: 3n });
    const block = Number((await node.receipt(hash)).blockNumber);
    const safe = async () =>
      Number((await node.rpc<{ number: string }>("eth_getBlockByNumber", "safe", false)).number);
    while ((await safe()) < block) {
      await watching.catchUp();
      expect((await watching.history(id)).map(({ status }) => status)).toEqual(["pending"]);
      await node.mine(1);
    }
    await watching.catchUp();
    expect((await watching.history(id)).map(({ status }) => status)).toEqual(["completed"]);
    const { confirmedNumber } = await watching.ledger.readChainState(watching.chainName);
    expect(Number(confirmedNumber)).toBe(await safe());
  });
});
