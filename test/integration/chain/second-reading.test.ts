import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { loadCryptography } from "../../../src/chain/proof/hashing/cryptography.ts";
import type { Keccak } from "../../../src/chain/proof/hashing/keccak.ts";
import { stateSyncHash } from "../../../src/chain/proof/state-sync.ts";
import { type Address, parseAddress } from "../../../src/domain/chain/address.ts";
import type { WitnessPolicy } from "../../../src/domain/chain/confirmation.ts";
import type { WatchFilter } from "../../../src/domain/watch/watch-filter.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { wallet } from "../../support/chain/cast.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { deployToken } from "../../support/chain/token.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { keepingLog } from "../../support/fault-steps.ts";
import type { WatchOptions } from "../../support/ledger/watch-in-ledger.ts";
import { createSkippingClock } from "../../support/skipping-clock.ts";
import { waitFor } from "../../support/wait-for.ts";

const payer = ANVIL_ACCOUNTS[0];
const patienceMs = 60_000;

let anvil: Anvil;
let number: bigint;
let proxies: [RpcProxy, RpcProxy, RpcProxy];
let open: WatchedChain[];

beforeAll(async () => {
  anvil = await startAnvil({});
  const token = await deployToken(anvil);
  await token.mint(payer, 1_000n);
  await token.transfer(payer, wallet, 7n);
  number = BigInt((await anvil.block("latest")).number);
  const start = () => startRpcProxy(anvil.rpcUrl);
  proxies = [await start(), await start(), await start()];
  open = [];
});

afterEach(async () => {
  for (const proxy of proxies) proxy.misbehave(null);
  for (const watched of open.splice(0)) await watched.stop();
});

afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
  await anvil.stop();
});

/** A chain of which only the bloom is asked for: it covers no amount. */
async function watchedBy(endpoints: readonly RpcProxy[], options: Partial<WatchOptions> = {}) {
  const rpcUrls = endpoints.map(({ url }) => url);
  const watched = await watchChain({
    rpcUrl: rpcUrls[0] ?? "",
    rpcUrls,
    depth: 1,
    receipts: "bloom",
    witness: { patienceMs },
    ...options,
  });
  open.push(watched);
  return watched;
}

const chainOf = async (endpoints: readonly RpcProxy[]) => (await watchedBy(endpoints)).chain;

/** Receipts with every amount times a thousand. */
const inflating: Misbehave = async ({ method }, forward) => {
  if (method !== "eth_getBlockReceipts") return null;
  const text = JSON.stringify(await forward());
  return {
    result: JSON.parse(text.replaceAll(/"0x0{60}000[1-9a-f]"/g, `"0x${"1b58".padStart(64, "0")}"`)),
  };
};

const amounts = (block: { movements: { kind: string; amountAtomic: bigint }[] }) =>
  block.movements.filter(({ kind }) => kind === "transfer").map((one) => one.amountAtomic);

describe("a block whose amounts no root shows", () => {
  it("is taken once two hosts answer the same of it", async () => {
    const [first, second] = proxies;
    const block = await (await chainOf([first, second])).loadBlock(number);
    expect(amounts(block)).toEqual([7n]);
    expect(block.evidence).toEqual({
      logs: "agreed",
      others: "agreed",
      traces: "answered",
      unshownFees: new Set(),
    });
  });

  it("is believed of one alone where the chain has no other, and marked so", async () => {
    const block = await (await chainOf([proxies[0]])).loadBlock(number);
    expect(amounts(block)).toEqual([7n]);
    expect(block.evidence).toMatchObject({ logs: "bloom", others: "answered" });
  });

  it.each([0, 1])("is not taken while host %i of two says something else", async (liar) => {
    const [first, second] = proxies;
    const chain = await chainOf([first, second]);
    proxies[liar]?.misbehave(inflating);
    await expect(chain.loadBlock(number)).rejects.toThrow(/differ in what moves in it/);
    await expect(
      chain.loadRange({
        from: number,
        to: number,
        watchFilter: null,
        isLight: true,
        mayLackTraces: false,
      }),
    ).rejects.toThrow(/differ in what moves in it/);
    proxies[liar]?.misbehave(null);
    expect(amounts(await chain.loadBlock(number))).toEqual([7n]);
  });

  it("is what two of three hosts say", async () => {
    const chain = await chainOf(proxies);
    proxies[0].misbehave(inflating);
    expect(amounts(await chain.loadBlock(number))).toEqual([7n]);
  });

  /** Answers as if the block had nothing in it. */
  const hiding: Misbehave = async ({ method, params }, forward) => {
    if (method === "eth_getBlockReceipts" || method === "eth_getLogs") return { result: [] };
    if (method !== "eth_getBlockByNumber" || params[1] !== true) return null;
    const block = (await forward()) as object;
    return { result: { ...block, transactions: [], logsBloom: `0x${"0".repeat(512)}` } };
  };

  const ofPayer = (tokens: Address[]): WatchFilter => ({
    tokens,
    isCoinWatched: true,
    isWatched: (address) => address === payer.toLowerCase(),
    fewWallets: [parseAddress(payer)],
  });

  it.each([0, 1])("is not passed over while host %i of two hides all of it", async (liar) => {
    const [first, second] = proxies;
    const how = { receipts: "none", tracing: "off" } as const;
    const { chain, gate } = await watchedBy([first, second], how);
    proxies[liar]?.misbehave(hiding);
    const request = { from: number, to: number, isLight: true, mayLackTraces: false };
    for (const watchFilter of [ofPayer([]), ofPayer([parseAddress(wallet)]), null]) {
      await expect(chain.loadRange({ ...request, watchFilter })).rejects.toThrow(/differ in what/);
      await expect(chain.loadNext(number, watchFilter)).rejects.toThrow(/differ in what/);
    }
    expect(gate.held()).toMatchObject({ what: "block", why: "disputed", number });
    proxies[liar]?.misbehave(null);
    const { blocks } = await chain.loadRange({ ...request, watchFilter: ofPayer([]) });
    expect(blocks).toMatchObject([{ isWhole: true, evidence: { others: "agreed" } }]);
    expect(gate.held()).toBeNull();
  });

  it("is not read whole where a range has found nothing of ours in it, so that one host alone said so", async () => {
    const [first, second] = proxies;
    const chain = await chainOf([first, second]);
    const nobody = {
      tokens: [],
      isCoinWatched: true,
      isWatched: () => false,
      fewWallets: [],
    };
    const range = { from: number, to: number, isLight: true, mayLackTraces: false };
    const { blocks } = await chain.loadRange({ ...range, watchFilter: nobody });
    expect(blocks).toMatchObject([{ isWhole: false, movements: [] }]);
  });

  const withoutBlock: Misbehave = ({ method, params }) =>
    method === "eth_getBlockByNumber" && params[0] === `0x${number.toString(16)}`
      ? { result: null }
      : null;

  /** Two hosts, a clock that can be put forward, and the lines about what waits. */
  async function beginWaiting(mode: WitnessPolicy["mode"] = "prefer") {
    const [first, second] = proxies;
    const clock = createSkippingClock();
    const { log, lines } = keepingLog();
    const { chain, gate } = await watchedBy([first, second], {
      clock,
      log,
      witness: { patienceMs, mode },
    });
    const said = () =>
      lines
        .filter(({ fields }) => fields["what"] === "block")
        .map(({ message, fields }) => [message, fields["why"], fields["number"]]);
    return { second, clock, chain, gate, said };
  }

  it("waits for a second host that is silent, and goes on once it has waited long enough", async () => {
    const { second, clock, chain, gate, said } = await beginWaiting();
    second.misbehave(() => "drop");
    await expect(chain.loadBlock(number)).rejects.toThrow(/no second endpoint answers/);
    clock.skip(patienceMs / 2);
    await expect(chain.loadBlock(number)).rejects.toThrow(/no second endpoint answers/);
    expect(gate.held()).toMatchObject({ what: "block", why: "silent", number });
    expect(said()).toEqual([["chain.held", "silent", number]]);

    clock.skip(patienceMs / 2);
    const { evidence } = await chain.loadBlock(number);
    expect(evidence).toMatchObject({ logs: "bloom" });
    // The host has been waited for already, so the next block does not wait again.
    await chain.loadBlock(number - 1n);
    expect(said().slice(1)).toEqual([["witness.passed_over", "silent", number]]);

    second.misbehave(null);
    // After its silence, the host is asked again once its pause is over.
    await waitFor(async () => (await chain.loadBlock(number)).evidence.logs === "agreed", {
      what: "a block on which both hosts agree",
      timeoutMs: 30_000,
    });
    expect(said().slice(2)).toEqual([["chain.released", "silent", undefined]]);
    expect(gate.held()).toBeNull();
  });

  it("waits for a silent host in the same way where a range has found nothing", async () => {
    const { second, clock, chain, gate } = await beginWaiting();
    const watchFilter = { ...ofPayer([]), isWatched: () => false };
    const request = { from: number, to: number, isLight: true, mayLackTraces: false };
    const load = () => chain.loadRange({ ...request, watchFilter });
    second.misbehave(() => "drop");
    await expect(load()).rejects.toThrow(/no second endpoint answers/);
    clock.skip(patienceMs);
    expect((await load()).blocks).toMatchObject([{ isWhole: false, movements: [] }]);
    expect(gate.held()).toMatchObject({ what: "block", why: "silent" });
    second.misbehave(null);
    const isReleased = () => load().then(() => gate.held() === null);
    await waitFor(isReleased, { what: "a range on which both hosts agree", timeoutMs: 30_000 });
  });

  it("waits for ever for a silent host where a second one is required", async () => {
    const { second, clock, chain } = await beginWaiting("required");
    second.misbehave(() => "drop");
    await expect(chain.loadBlock(number)).rejects.toThrow(/no second endpoint answers/);
    clock.skip(2 * patienceMs);
    await expect(chain.loadBlock(number)).rejects.toThrow(/no second endpoint answers/);
  });

  it("goes by one host where the other one does not have the range", async () => {
    const { second, chain, gate } = await beginWaiting();
    second.misbehave(withoutBlock);
    const request = { from: number, to: number, isLight: true, mayLackTraces: false };
    const watchFilter = { ...ofPayer([]), isWatched: () => false };
    const { blocks } = await chain.loadRange({ ...request, watchFilter });
    expect(blocks).toMatchObject([{ isWhole: false, movements: [] }]);
    expect(gate.held()).toBeNull();
  });

  it("waits for ever for a second host that answers, and does not have it", async () => {
    const { second, clock, chain, gate } = await beginWaiting();
    second.misbehave(withoutBlock);
    await expect(chain.loadBlock(number)).rejects.toThrow(/no second endpoint answers/);
    clock.skip(2 * patienceMs);
    await expect(chain.loadBlock(number)).rejects.toThrow(/no second endpoint answers/);
    expect(gate.held()).toMatchObject({ what: "block", why: "refused", number });
  });
});

describe("a transaction that no root of its block covers", () => {
  type Block = { number: string; hash: `0x${string}`; transactions: object[] };
  type Receipt = { logs: object[] };

  /** Changes what a node says of one block and of its receipts. */
  const forging =
    (changeBlock: (block: Block) => Block, changeReceipts: (all: Receipt[]) => Receipt[]) =>
    (at: bigint): Misbehave =>
    async ({ method, params }, forward) => {
      if (method === "eth_getBlockReceipts")
        return { result: changeReceipts((await forward()) as Receipt[]) };
      if (method !== "eth_getBlockByNumber" || params[1] !== true) return null;
      const block = (await forward()) as Block;
      return { result: BigInt(block.number) === at ? changeBlock(block) : block };
    };

  /** A state sync of Polygon that brings the wallet tokens. */
  function withSync(keccak: Keccak) {
    let hash = "";
    const zero = `0x${"0".repeat(40)}`;
    const free = { gas: "0x0", gasPrice: "0x0", nonce: "0x0", input: "0x", v: "0x0" };
    return forging(
      (block) => {
        hash = stateSyncHash(keccak, { number: BigInt(block.number), hash: block.hash });
        const sync = { hash, type: "0x0", from: zero, to: zero, value: "0x0", r: "0x0", s: "0x0" };
        return { ...block, transactions: [...block.transactions, { ...sync, ...free }] };
      },
      (receipts) => {
        const [{ logs, ...one } = { logs: [] }] = receipts;
        const log = { ...logs[0], transactionHash: hash };
        const free = { gasUsed: "0x0", effectiveGasPrice: "0x0" };
        return [...receipts, { ...one, ...free, transactionHash: hash, logs: [log] }];
      },
    );
  }

  /** The transfer of tokens as one of a type whose bytes are not always answered. */
  function withSmart() {
    const smart = { type: "0x79", to: wallet, value: "0x38d7ea4c68000" };
    return forging(
      (block) => ({
        ...block,
        transactions: block.transactions.map((one) => ({ ...one, ...smart })),
      }),
      (receipts) => receipts,
    );
  }

  it.each([
    ["a state sync", 137, withSync],
    ["one of a type that is not always answered whole", 8_453, withSmart],
  ])("is not believed of one host beside others: %s", async (_, chainId, forge) => {
    const node = await startAnvil({ args: ["--chain-id", String(chainId)] });
    const [liar, honest] = [await startRpcProxy(node.rpcUrl), await startRpcProxy(node.rpcUrl)];
    try {
      const token = await deployToken(node);
      await token.mint(payer, 1_000n);
      await token.transfer(payer, wallet, 7n);
      const at = BigInt(await node.blockNumber());
      const { keccak } = await loadCryptography();
      const how = { rpcUrl: liar.url, depth: 1, chainId, tracing: "off" } as const;
      const alone = await watchChain(how);
      open.push(alone);
      const among = await watchChain({ ...how, rpcUrls: [liar.url, honest.url] });
      open.push(among);
      expect((await among.chain.loadBlock(at)).evidence).toMatchObject({ logs: "root" });
      liar.misbehave(forge(keccak)(at));
      const { evidence } = await alone.chain.loadBlock(at);
      expect(evidence).toMatchObject({ logs: "answered", others: "answered" });
      await expect(among.chain.loadBlock(at)).rejects.toThrow(/differ in what moves in it/);
      const none = { tokens: [], isCoinWatched: true, isWatched: () => false, fewWallets: [] };
      await expect(among.chain.loadNext(at, none)).rejects.toThrow(/differ in what moves in it/);
      expect(among.gate.held()).toMatchObject({ what: "block", why: "disputed", number: at });
      liar.misbehave(null);
      expect((await among.chain.loadBlock(at)).evidence).toMatchObject({ logs: "root" });
      expect(among.gate.held()).toBeNull();
    } finally {
      for (const one of [liar, honest, node]) await one.stop();
    }
  });
});
