import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Address } from "../../../src/domain/chain/address.ts";
import type { Hash } from "../../../src/domain/chain/block.ts";
import type { BalanceQuestion } from "../../../src/domain/money/balance.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import {
  type Misbehave,
  type Misbehaviour,
  type RpcProxy,
  startRpcProxy,
} from "../../support/chain/rpc-proxy.ts";
import { deployToken, type TestToken } from "../../support/chain/token.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";

const payer = ANVIL_ACCOUNTS[0];
const holder: Address = "0x00000000000000000000000000000000000a11ce";
const nobody: Address = "0x00000000000000000000000000000000000b0b00";

let anvil: Anvil;
let token: TestToken;
let blockHash: Hash;
let questions: BalanceQuestion[];
let proxies: { first: RpcProxy; second: RpcProxy };
let open: WatchedChain[];

const truth = [77n, 0n, 5_000n, 0n];

beforeAll(async () => {
  anvil = await startAnvil({});
  token = await deployToken(anvil);
  await anvil.sendNative({ from: payer, to: holder, amountAtomic: 77n });
  await token.mint(holder, 5_000n);
  blockHash = (await anvil.block("latest")).hash as Hash;
  // What comes later is no part of that state.
  await anvil.sendNative({ from: payer, to: holder, amountAtomic: 1n });
  await token.mint(holder, 1n);
  proxies = { first: await startRpcProxy(anvil.rpcUrl), second: await startRpcProxy(anvil.rpcUrl) };
  const tokenAddress = token.address.toLowerCase() as Address;
  questions = [
    { walletAddress: holder, assetAddress: "native" },
    { walletAddress: nobody, assetAddress: "native" },
    { walletAddress: holder, assetAddress: tokenAddress },
    { walletAddress: nobody, assetAddress: tokenAddress },
  ];
  open = [];
});

afterEach(async () => {
  for (const proxy of Object.values(proxies)) proxy.misbehave(null);
  for (const watched of open.splice(0)) await watched.stop();
});

afterAll(async () => {
  for (const proxy of Object.values(proxies)) await proxy.stop();
  await anvil.stop();
});

async function chainOf(...endpoints: RpcProxy[]) {
  const urls = endpoints.map(({ url }) => url);
  const watched = await watchChain({ rpcUrl: urls[0] ?? "", rpcUrls: urls, depth: 1 });
  open.push(watched);
  return watched.chain;
}

const word = (amount: bigint): Misbehaviour => ({
  result: `0x${amount.toString(16).padStart(64, "0")}`,
});
const isBalanceOf = (params: unknown[]) =>
  JSON.stringify(params[0]).includes(`0x70a08231${"0".repeat(24)}${holder.slice(2)}`);

/** Lies about the coin and the token of the holder, whichever way but a proof. */
const lying: Misbehave = ({ method, params }) => {
  if (method === "eth_getBalance") return { result: "0xfff" };
  return method === "eth_call" && isBalanceOf(params) ? word(9_999n) : null;
};

const without: Misbehave = ({ method }) =>
  method === "eth_getProof"
    ? { error: { code: -32_601, message: "the method eth_getProof does not exist" } }
    : null;

const both =
  (...all: Misbehave[]): Misbehave =>
  async (call, forward) => {
    for (const one of all) {
      const chosen = await one(call, forward);
      if (chosen !== null) return chosen;
    }
    return null;
  };

describe("balances after a block", () => {
  it("are proved by the state root that the block's hash covers", async () => {
    const { first } = proxies;
    const chain = await chainOf(first);
    expect(await chain.balancesAt(blockHash, questions.slice(0, 3))).toEqual({
      amounts: truth.slice(0, 3),
      proofs: ["state", "state", "answered"],
      disputed: [],
      reverted: [],
      silent: [],
    });
    // The state root shows no balance of a token: the only host says by which slot it counts.
    expect(await chain.balancesAt(blockHash, questions)).toEqual({
      amounts: truth,
      proofs: ["state", "state", "answered", "answered"],
      disputed: [],
      reverted: [],
      silent: [],
    });
  });

  it("are the coin's by proof, whatever the endpoint says besides", async () => {
    proxies.first.misbehave(lying);
    const chain = await chainOf(proxies.first);
    const coin = questions.slice(0, 2);
    expect(await chain.balancesAt(blockHash, coin)).toMatchObject({
      amounts: [77n, 0n],
      proofs: ["state", "state"],
    });
  });

  it.each([
    ["of another account", (params: unknown[]) => [payer, ...params.slice(1)]],
    ["of another block", (params: unknown[]) => [...params.slice(0, 2), "latest"]],
  ])("are not taken from a proof %s, but from the next endpoint's", async (_, change) => {
    proxies.first.misbehave(async ({ method, params }, forward) =>
      method === "eth_getProof"
        ? { result: await forward(undefined, { method, params: change(params) }) }
        : null,
    );
    const chain = await chainOf(proxies.first, proxies.second);
    const coin = questions.slice(0, 2);
    expect(await chain.balancesAt(blockHash, coin)).toMatchObject({
      amounts: [77n, 0n],
      proofs: ["state", "state"],
    });
    expect(chain.status().endpoints[0]?.failures).toBeGreaterThan(0);
  });

  describe("of a token whose storage is of a known layout", () => {
    /** A token that was upgraded, and left its old slots behind: whoever tells the truth says this. */
    const upgraded: Misbehave = ({ method, params }) =>
      method === "eth_call" && isBalanceOf(params) ? word(9_999n) : null;
    const unreachable: Misbehave = () => "drop";

    const tokens = () => questions.slice(2);

    it.each([
      ["first", "the one that leads"],
      ["second", "the other one"],
    ] as const)("wait while the %s of two hosts says something else: %s", async (name, _) => {
      const chain = await chainOf(proxies.first, proxies.second);
      expect(await chain.balancesAt(blockHash, tokens())).toEqual({
        amounts: [5_000n, 0n],
        proofs: ["agreed", "agreed"],
        disputed: [],
        reverted: [],
        silent: [],
      });
      proxies[name].misbehave(upgraded);
      for (let asked = 0; asked < 2; asked += 1)
        expect(await chain.balancesAt(blockHash, tokens())).toMatchObject({
          proofs: ["answered", "agreed"],
          disputed: [0],
        });
    });

    it("are what two hosts say, where a third says what is left in the slot", async () => {
      const third = await startRpcProxy(anvil.rpcUrl);
      try {
        const chain = await chainOf(third, proxies.first, proxies.second);
        await chain.balancesAt(blockHash, tokens());
        for (const honest of Object.values(proxies)) honest.misbehave(upgraded);
        expect(await chain.balancesAt(blockHash, tokens())).toEqual({
          amounts: [9_999n, 0n],
          proofs: ["agreed", "agreed"],
          disputed: [],
          reverted: [],
          silent: [],
        });
        for (const honest of Object.values(proxies)) honest.misbehave(null);
        expect(await chain.balancesAt(blockHash, tokens())).toMatchObject({
          proofs: ["agreed", "agreed"],
        });
      } finally {
        await third.stop();
      }
    });

    it("are the word of one where the other host cannot be reached, beside a coin that is proved", async () => {
      const chain = await chainOf(proxies.first, proxies.second);
      const proofs = async () => (await chain.balancesAt(blockHash, questions)).proofs;
      proxies.second.misbehave(unreachable);
      expect(await proofs()).toEqual(["state", "state", "answered", "answered"]);
      proxies.second.misbehave(null);
      expect(await proofs()).toEqual(["state", "state", "agreed", "agreed"]);
      proxies.second.misbehave(unreachable);
      expect(await proofs()).toEqual(["state", "state", "answered", "answered"]);
    });
  });

  it("need as many hosts as have to agree", async () => {
    const third = await startRpcProxy(anvil.rpcUrl);
    try {
      const { first, second } = proxies;
      const urls = [first, second, third].map(({ url }) => url);
      const count = { rpcUrl: first.url, rpcUrls: urls, depth: 1, witness: { count: 3 } };
      const watched = await watchChain(count);
      open.push(watched);
      const proofs = async () => (await watched.chain.balancesAt(blockHash, questions)).proofs;
      expect(await proofs()).toEqual(["state", "state", "agreed", "agreed"]);
      third.misbehave(() => "drop");
      expect(await proofs()).toEqual(["state", "state", "answered", "answered"]);
      for (const one of [first, second]) one.misbehave(without);
      expect(new Set(await proofs())).toEqual(new Set(["answered"]));
    } finally {
      await third.stop();
    }
  });

  it("need two hosts that agree where nothing is proved, and one alone is said to be alone", async () => {
    proxies.first.misbehave(without);
    proxies.second.misbehave(without);
    const two = await chainOf(proxies.first, proxies.second);
    expect(await two.balancesAt(blockHash, questions)).toEqual({
      amounts: truth,
      proofs: truth.map(() => "agreed"),
      disputed: [],
      reverted: [],
      silent: [],
    });
    const one = await chainOf(proxies.first);
    expect(await one.balancesAt(blockHash, questions)).toEqual({
      amounts: truth,
      proofs: truth.map(() => "answered"),
      disputed: [],
      reverted: [],
      silent: [],
    });
  });

  it("are disputed where nothing is proved and two hosts differ, each by itself", async () => {
    proxies.first.misbehave(both(without, lying));
    proxies.second.misbehave(without);
    const chain = await chainOf(proxies.first, proxies.second);
    expect(await chain.balancesAt(blockHash, questions)).toMatchObject({
      proofs: ["answered", "answered", "answered", "agreed"],
      disputed: [0, 1, 2],
    });
  });

  it("of many are compared between two hosts instead of being proved", async () => {
    const chain = await chainOf(proxies.first, proxies.second);
    proxies.first.calls.length = 0;
    const read = await chain.balancesAt(blockHash, questions, { isWide: true });
    expect(read).toMatchObject({
      amounts: truth,
      proofs: truth.map(() => "agreed"),
      disputed: [],
      reverted: [],
    });
    expect(proxies.first.calls).not.toContain("eth_getProof");
  });
});
