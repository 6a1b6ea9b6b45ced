import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readStatus } from "../../../../src/ledger/chain/chain-status.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import type { Misbehave } from "../../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";

const other = "0x00000000000000000000000000000000000b0b00";

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;
let logged: string[];

beforeEach(() => {
  logged = [];
});

afterEach(() => watched.stop());

async function watch(options: { balanceCheck?: boolean; farBlocks?: bigint } = {}) {
  const say = (_: object, message: string) => void logged.push(message);
  const log = { debug() {}, info() {}, warn: say, error: say };
  watched = await watchChain({ rpcUrl: proxy.url, depth: 1, log, ...options });
  await watched.catchUp();
  return watched.addWallet(wallet);
}

type Frame = { type: string; from: string; to: string; value: string; calls?: Frame[] };

/**
 * The node's traces, with an inner transfer of `amountAtomic` that never was in every transaction.
 */
const inventing =
  (amountAtomic: bigint): Misbehave =>
  async ({ method }, forward) => {
    if (method !== "debug_traceBlockByHash") return null;
    const traces = (await forward()) as { result: Frame }[];
    const inner = {
      type: "CALL",
      from: payer,
      to: wallet,
      value: `0x${amountAtomic.toString(16)}`,
    };
    return {
      result: traces.map(({ result, ...trace }) => ({
        ...trace,
        result: { ...result, calls: [{ ...inner, gas: "0x0", gasUsed: "0x0", input: "0x" }] },
      })),
    };
  };

/** The deposit waits until the endpoint misbehaves no more. */
async function expectToWaitForTruth(walletId: string): Promise<void> {
  await watched.catchUp();
  expect(await statuses(walletId)).toEqual([[ether, "pending"]]);
  proxy.misbehave(null);
  await watched.catchUp();
  expect(await statuses(walletId)).toEqual([[ether, "completed"]]);
  expect(await watched.balances(walletId)).toEqual({ ETH: ether });
}

/** Five ether are invented beside a payment to somebody else, and should be confirmed by now. */
async function seeInvention(): Promise<void> {
  proxy.misbehave(inventing(5n * ether));
  await deposit(other);
  await anvil.mine(3);
  await watched.catchUp();
}

const deposit = (to: string = wallet) => anvil.sendNative({ from: payer, to, amountAtomic: ether });

const statuses = async (walletId: string) =>
  (await watched.history(walletId)).map(({ amountAtomic, status }) => [amountAtomic, status]);

/** It offers no proofs, and says that nobody has anything. */
function sayingZero({ method }: { method: string }) {
  if (method === "eth_getProof") return { error: { code: -32_601, message: "method not found" } };
  return method === "eth_getBalance" ? { result: "0x0" } : null;
}

describe("what a block moves of the coin", () => {
  it("is not confirmed where a node invents it: it is reported as a discrepancy, and notifies nobody", async () => {
    const walletId = await watch();
    await seeInvention();
    expect(await statuses(walletId)).toEqual([[5n * ether, "pending"]]);
    expect(await watched.balances(walletId)).toEqual({ ETH: 0n });
    expect(await watched.db.notification.count()).toBe(0);
    expect(logged).toContain("balance.unproven");
    const { chains } = await readStatus(watched.db, Date.now());
    expect(chains).toMatchObject([{ unproven: 1, discrepancies: 1 }]);
    const [open] = await watched.db.discrepancy.findMany();
    expect([open?.ledgerAmount.toFixed(), open?.chainAmount.toFixed()]).toEqual([
      String(5n * ether),
      "0",
    ]);
  });

  it("and is dropped once an honest node is asked again from before it", async () => {
    const walletId = await watch();
    await seeInvention();
    proxy.misbehave(null);
    await anvil.reorg(4);
    await anvil.mine(1);
    await watched.catchUp();
    expect(await statuses(walletId)).toEqual([[5n * ether, "dropped"]]);
  });

  it("is confirmed late where the node lied only about the balances", async () => {
    const walletId = await watch();
    await watched.catchUp();
    proxy.misbehave(sayingZero);
    await deposit();
    await anvil.mine(2);
    await expectToWaitForTruth(walletId);
    expect(await watched.db.notification.count()).toBe(1);
  });

  it("is believed where no node has that state any more", async () => {
    const walletId = await watch();
    await watched.catchUp();
    proxy.misbehave(({ method }) =>
      method === "eth_getBalance"
        ? { error: { code: -32_000, message: "missing trie node" } }
        : null,
    );
    await deposit();
    await anvil.mine(2);
    await watched.catchUp();
    expect(await statuses(walletId)).toEqual([[ether, "completed"]]);
  });

  it("is waited for by an opening that is read at its block or above", async () => {
    const walletId = await watch();
    const { hash } = await watched.db.block.findFirstOrThrow({ orderBy: { number: "desc" } });
    const gone = { error: { code: -32_000, message: "missing trie node" } };
    proxy.misbehave((asked) => {
      const isOfOpening = JSON.stringify(asked.params).includes(hash);
      return isOfOpening && asked.method === "eth_getBalance" ? gone : sayingZero(asked);
    });
    await anvil.mine(1);
    await deposit();
    await anvil.mine(2);
    await watched.catchUp();
    expect(await watched.balances(walletId)).toEqual({ ETH: 0n });
    await expectToWaitForTruth(walletId);
  });

  it("is checked against the balances by ranges too, and waits there in the same way", async () => {
    const walletId = await watch({ farBlocks: 0n });
    await watched.catchUp();
    await deposit();
    proxy.misbehave(sayingZero);
    await anvil.mine(20);
    await expectToWaitForTruth(walletId);
    await deposit();
    await anvil.mine(20);
    await watched.catchUp();
    expect(await watched.balances(walletId)).toEqual({ ETH: 2n * ether });
  });

  it("is one discrepancy of a wallet, however many blocks of a range do not show it", async () => {
    const walletId = await watch({ farBlocks: 0n });
    proxy.misbehave(inventing(5n * ether));
    await deposit(other);
    await deposit(other);
    await anvil.mine(3);
    await watched.catchUp();
    const pending = [5n * ether, "pending"];
    expect(await statuses(walletId)).toEqual([pending, pending]);
    const open = await watched.db.discrepancy.findMany();
    expect(open.map(({ chainAmount }) => chainAmount.toFixed())).toEqual(["0"]);
  });

  it("is not checked where the operator says so, and what waited is confirmed", async () => {
    const walletId = await watch({ balanceCheck: false });
    await watched.catchUp();
    proxy.misbehave(({ method }) => (method === "eth_getBalance" ? { result: "0x0" } : null));
    await deposit();
    await anvil.mine(2);
    await watched.db.transaction.updateMany({ data: { unproven: true } });
    await watched.catchUp();
    expect(await statuses(walletId)).toEqual([[ether, "completed"]]);
    expect(await watched.db.discrepancy.count()).toBe(0);
  });
});
