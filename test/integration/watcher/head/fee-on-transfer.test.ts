import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AssetKind } from "../../../../src/domain/money/asset.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { fillHistory } from "../../../../src/watcher/history/fill-history.ts";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { ANVIL_ACCOUNTS } from "../../../support/chain/anvil.ts";
import { wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { forgettingStateOf } from "../../../support/chain/forgetting.ts";
import { type Contract, deploy } from "../../../support/chain/money-contracts.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { requestHistory, resetChain, rewindChain } from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";

const [payer, owner, other] = ANVIL_ACCOUNTS;

const { anvil, proxy } = eachProxiedChain();
let second: RpcProxy | null = null;
let token: Contract;
let watched: WatchedChain;
let walletId: string;
let ownerId: string;

beforeEach(async () => {
  token = await deploy(anvil, "Skimming");
  for (const account of [payer, owner]) await token.call(payer, "mint", [account, 1_000_000n]);
});

afterEach(async () => {
  await watched.stop();
  await second?.stop();
  second = null;
});

/** A token that logs what was sent and gives a hundredth less, and two wallets that are watched. */
async function watch(
  options: { kind?: AssetKind; farBlocks?: bigint; rpcUrls?: string[] } = {},
): Promise<void> {
  const { kind = "fee_on_transfer", ...more } = options;
  const tokens = [{ code: "SKIM", address: token.address, decimals: 6, kind }];
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens, ...more });
  await watched.catchUp();
  walletId = await watched.addWallet(wallet);
  ownerId = await watched.addWallet(owner);
  await settle();
}

async function settle(): Promise<void> {
  await anvil.mine(2);
  await watched.catchUp();
}

async function inOneBlock(send: () => Promise<unknown>): Promise<void> {
  await anvil.setAutomine(false);
  await send();
  await anvil.mine(1);
  await anvil.setAutomine(true);
}

const recorded = async (id: string) =>
  (await watched.history(id))
    .filter(({ asset }) => asset === "SKIM")
    .map(({ type, amountAtomic, status }) => [type, amountAtomic, status]);
const toldAmounts = async (event: string) =>
  (await watched.db.notification.findMany({ where: { event }, orderBy: { seq: "asc" } })).map(
    ({ body }) => JSON.parse(body).data.amount,
  );
const held = async (id: string) => (await watched.balances(id))["SKIM"];

const ports = () => {
  const { chain, rounds, ledger, oldBlocks } = watched;
  return { chain, rounds: rounds.histories, ledger, oldBlocks, log: quiet };
};

async function outcomes(): Promise<string[][]> {
  const of = { chainName: watched.chainName, walletIds: null };
  const outcome = await reconcileStep(ports(), of, nothingCompared);
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  return outcome.progress.findings.map(({ balance, outcome: came }) => [balance.assetCode, came]);
}

const unsupported = { error: { code: -32_601, message: "method not found" } };

const wordOf = (amount: bigint) => `0x${amount.toString(16).padStart(64, "0")}`;

/** Hosts behind one URL, of which the first few that are asked do not have the block yet. */
function lagging(): Misbehave {
  let left = 4;
  return ({ method, params }) => {
    const isOfToken = JSON.stringify(params).includes(token.address);
    if (!["eth_call", "eth_getProof"].includes(method) || !isOfToken || left === 0) return null;
    left -= 1;
    return { error: { code: -32_000, message: "header for hash not found" } };
  };
}

/** No endpoint has the state of this block or the one before any more. */
async function forgettingBlock(number: number): Promise<Misbehave> {
  const blocks = await Promise.all([number - 1, number].map((one) => anvil.block(one)));
  const named = blocks.flatMap((block) => [block.hash, `"${block.number}"`]);
  return ({ method, params }) =>
    ["eth_call", "eth_getProof"].includes(method) &&
    named.some((name) => JSON.stringify(params).includes(name))
      ? { error: { code: -32_000, message: "missing trie node" } }
      : null;
}

/** Of each wallet that has something of the token it says that it has 1; nothing is proved. */
const belittling: Misbehave = async ({ method, params }, forward) => {
  if (method === "eth_getProof") return unsupported;
  if (method !== "eth_call" || !JSON.stringify(params).includes(token.address)) return null;
  const answer = BigInt((await forward()) as string);
  return { result: wordOf(answer > 0n ? 1n : 0n) };
};

/** The node's balances of the token, each with more than the one before; nothing is proved. */
function exaggerating(): Misbehave {
  let asked = 0n;
  return async ({ method, params }, forward) => {
    if (method === "eth_getProof") return unsupported;
    if (method !== "eth_call" || !JSON.stringify(params).includes(token.address)) return null;
    asked += 1n;
    const answer = BigInt((await forward()) as string) + asked * 1_000_000n;
    return { result: wordOf(answer) };
  };
}

describe("a token that gives less than it logs", () => {
  it.each([
    ["block by block", undefined],
    ["by ranges", 1n],
  ])("counts as what arrived, where it is the block's only transfer (%s)", async (_, farBlocks) => {
    await watch(farBlocks === undefined ? {} : { farBlocks });
    await token.call(payer, "transfer", [wallet, 1_000n]);
    if (farBlocks !== undefined) await anvil.mine(20);
    await settle();
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    expect(await held(walletId)).toBe(await token.balanceOf(wallet));
    const { body } = await watched.db.notification.findFirstOrThrow();
    expect(JSON.parse(body).data.amount).toBe("0.00099");
    expect(await outcomes()).toEqual([]);
    expect((await checkLedger(watched.db)).findings).toEqual([]);
  });

  it("counts as what arrived where its wallet was added just before", async () => {
    await watch();
    const addedId = await watched.addWallet(other);
    await token.call(payer, "transfer", [other, 1_000n]);
    await settle();
    expect(await recorded(addedId)).toEqual([["deposit", 990n, "completed"]]);
    expect(await toldAmounts("transaction.deposit")).toEqual(["0.00099"]);
  });

  it("is no deposit where nothing arrived, and a withdrawal of what left", async () => {
    await watch();
    await token.call(owner, "swallow", [wallet, 1_000n]);
    await settle();
    expect(await recorded(walletId)).toEqual([]);
    expect(await recorded(ownerId)).toEqual([["withdrawal", 1_000n, "completed"]]);
    const notified = await watched.db.notification.findMany();
    expect(notified.map(({ event }) => event)).toEqual(["transaction.withdrawal"]);
    expect(await held(walletId)).toBe(0n);
    expect(await outcomes()).toEqual([]);
    expect((await checkLedger(watched.db)).findings).toEqual([]);
  });

  it("is no deposit either where its block is read again for another difference, without its state", async () => {
    await watch();
    await token.call(payer, "swallow", [wallet, 1_000n]);
    const swallowedAt = await anvil.blockNumber();
    await inOneBlock(async () => {
      await token.send(payer, "transfer", [wallet, 1_000n]);
      await token.send(owner, "transfer", [wallet, 2_000n]);
    });
    await settle();
    proxy.misbehave(await forgettingBlock(swallowedAt));
    expect(await outcomes()).toEqual([["SKIM", "adjusted"]]);
    expect(await recorded(walletId)).toEqual([
      ["deposit", 1_000n, "completed"],
      ["deposit", 2_000n, "completed"],
      ["adjustment", 30n, "completed"],
    ]);
    expect(await held(walletId)).toBe(await token.balanceOf(wallet));
  });

  it("is no deposit either after a rewind, where its state is gone", async () => {
    await watch();
    const before = await anvil.blockNumber();
    await token.call(payer, "swallow", [wallet, 1_000n]);
    await token.call(payer, "transfer", [wallet, 1_000n]);
    await settle();
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    proxy.misbehave(forgettingStateOf(token.address));
    for (const _ of ["once", "and once more"]) {
      await rewindChain(watched.db, { chainName: watched.chainName, toNumber: BigInt(before) });
      watched.restart();
      await watched.catchUp();
      expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    }
    expect(await toldAmounts("transaction.deposit")).toEqual(["0.00099"]);
    proxy.misbehave(null);
    expect(await outcomes()).toEqual([]);
    expect((await checkLedger(watched.db)).findings).toEqual([]);
  });

  it("counts as it was logged on another branch, where nobody can measure it", async () => {
    await watch();
    const hash = await token.call(payer, "swallow", [wallet, 1_000n]);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    await settle();
    expect(await recorded(walletId)).toEqual([]);
    proxy.misbehave(forgettingStateOf(token.address));
    await anvil.rollback(3);
    await anvil.mine(1);
    await anvil.sendRaw(raw);
    await anvil.mine(4);
    await watched.catchUp();
    expect(await recorded(walletId)).toEqual([["deposit", 1_000n, "completed"]]);
    proxy.misbehave(null);
    expect(await outcomes()).toEqual([["SKIM", "adjusted"]]);
    expect(await held(walletId)).toBe(0n);
  });

  it("counts as what left, where the sender pays the fee on top", async () => {
    await watch();
    await token.call(owner, "send", [payer, 1_000n]);
    await settle();
    expect(await recorded(ownerId)).toEqual([["withdrawal", 1_010n, "completed"]]);
    expect(await held(ownerId)).toBe(await token.balanceOf(owner));
    expect(await outcomes()).toEqual([]);
  });

  it("counts for sender and receiver what each lost and got", async () => {
    await watch();
    await token.call(owner, "transfer", [wallet, 1_000n]);
    await settle();
    expect(await recorded(ownerId)).toEqual([["withdrawal", 1_000n, "completed"]]);
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
  });

  it("counts as it was logged, with an adjustment, where a block has several of its transfers", async () => {
    await watch();
    await inOneBlock(async () => {
      await token.send(payer, "transfer", [wallet, 1_000n]);
      await token.send(owner, "transfer", [wallet, 2_000n]);
    });
    await settle();
    expect(await recorded(walletId)).toEqual([
      ["deposit", 1_000n, "completed"],
      ["deposit", 2_000n, "completed"],
    ]);
    expect(await outcomes()).toEqual([["SKIM", "adjusted"]]);
    expect((await recorded(walletId)).at(-1)).toEqual(["adjustment", 30n, "completed"]);
    expect(await held(walletId)).toBe(await token.balanceOf(wallet));
    expect((await checkLedger(watched.db)).findings).toEqual([]);
  });

  it("counts as it was logged, with an adjustment, where no endpoint has the state any more", async () => {
    await watch();
    proxy.misbehave(forgettingStateOf(token.address));
    await token.call(payer, "transfer", [wallet, 1_000n]);
    await settle();
    expect(await recorded(walletId)).toEqual([["deposit", 1_000n, "completed"]]);
    proxy.misbehave(null);
    expect(await outcomes()).toEqual([["SKIM", "adjusted"]]);
    expect(await held(walletId)).toBe(990n);
  });

  it("counts as what arrived where another host behind the URL does not have the block yet", async () => {
    await watch();
    proxy.misbehave(lagging());
    await token.call(payer, "transfer", [wallet, 1_000n]);
    // Its block is the head.
    await watched.catchUp();
    await settle();
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    expect(await toldAmounts("transaction.deposit")).toEqual(["0.00099"]);
  });

  it("counts as what arrived where another host is behind for a moment", async () => {
    second = await startRpcProxy(anvil.rpcUrl);
    await watch({ rpcUrls: [proxy.url, second.url] });
    second.misbehave(lagging());
    await token.call(payer, "transfer", [wallet, 1_000n]);
    // Its block is the head.
    await watched.catchUp();
    await settle();
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    expect(await toldAmounts("transaction.deposit")).toEqual(["0.00099"]);
  });

  it("stays what was measured when its block is read again and the state is gone", async () => {
    await watch();
    const before = await anvil.blockNumber();
    await token.call(payer, "transfer", [wallet, 1_000n]);
    await settle();
    proxy.misbehave(forgettingStateOf(token.address));
    await rewindChain(watched.db, { chainName: watched.chainName, toNumber: BigInt(before) });
    watched.restart();
    await watched.catchUp();
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    expect(await watched.db.notification.count()).toBe(1);
    proxy.misbehave(null);
    expect(await outcomes()).toEqual([]);
  });

  it("stays what was notified where a new branch brings another amount", async () => {
    await watch();
    const hash = await token.call(payer, "transfer", [wallet, 1_000n]);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    await settle();
    await anvil.rollback(3);
    // Beside another transfer the amount counts as it was logged.
    await inOneBlock(async () => {
      await anvil.sendRaw(raw);
      await token.send(owner, "transfer", [wallet, 2_000n]);
    });
    await anvil.mine(4);
    await watched.catchUp();
    const transfers = await recorded(walletId);
    expect(transfers).toHaveLength(2);
    expect(transfers).toContainEqual(["deposit", 990n, "completed"]);
    expect(transfers).toContainEqual(["deposit", 2_000n, "completed"]);
    expect(await toldAmounts("transaction.deposit")).toEqual(["0.00099", "0.002"]);
    expect(await outcomes()).toContainEqual(["SKIM", "adjusted"]);
    expect(await held(walletId)).toBe(await token.balanceOf(wallet));
    expect((await checkLedger(watched.db)).findings).toEqual([]);
  });

  it("stays what was measured where a history brings it back after a reset, and the state is gone", async () => {
    await watch();
    const from = BigInt(await anvil.blockNumber());
    await token.call(payer, "transfer", [wallet, 1_000n]);
    await settle();
    // A chain begins just before its reset. The payment is long before that.
    await anvil.rpc("evm_increaseTime", 3_600);
    await anvil.mine(1);
    await watched.catchUp();
    await resetChain(watched.db, watched.chainName);
    watched.restart();
    await watched.catchUp();
    await settle();
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "reversed"]]);
    await requestHistory(watched.db, { walletId, fromNumber: from });
    proxy.misbehave(forgettingStateOf(token.address));
    while ((await fillHistory(ports(), watched.chainName)).kind !== "idle");
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    expect(await toldAmounts("transaction.deposit")).toEqual(["0.00099", "0.00099"]);
  });

  it("is never more than its log says, whatever an endpoint answers", async () => {
    await watch();
    await token.call(payer, "transfer", [wallet, 100n]);
    await settle();
    expect(await held(walletId)).toBe(99n);
    proxy.misbehave(exaggerating());
    await token.call(payer, "transfer", [wallet, 1_000n]);
    await anvil.mine(2);
    await watched.catchUp();
    const [, second] = await recorded(walletId);
    expect(second).toEqual(["deposit", 1_000n, "completed"]);
  });

  it("counts as it was logged where one of two hosts alone says what a wallet has", async () => {
    second = await startRpcProxy(anvil.rpcUrl);
    await watch({ rpcUrls: [proxy.url, second.url] });
    second.misbehave(forgettingStateOf(token.address));
    proxy.misbehave(belittling);
    await token.call(payer, "transfer", [wallet, 1_000n]);
    await token.call(owner, "send", [payer, 1_000n]);
    await settle();
    expect(await recorded(walletId)).toEqual([["deposit", 1_000n, "completed"]]);
    expect(await recorded(ownerId)).toEqual([["withdrawal", 1_000n, "completed"]]);
    second.misbehave(null);
    proxy.misbehave(null);
    expect(await outcomes()).toEqual([
      ["SKIM", "adjusted"],
      ["SKIM", "adjusted"],
    ]);
    expect(await held(walletId)).toBe(990n);
  });

  it("counts in a wallet's history as what arrived", async () => {
    await token.call(payer, "transfer", [wallet, 1_000n]);
    const tokens = [
      { code: "SKIM", address: token.address, decimals: 6, kind: "fee_on_transfer" as const },
    ];
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens });
    await watched.catchUp();
    walletId = await watched.addWallet(wallet, "deposit", watched.businessId, 0n);
    await settle();
    while ((await fillHistory(ports(), watched.chainName)).kind !== "idle");
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    const { verdict } = await watched.db.history.findFirstOrThrow();
    expect(verdict).toBe("agrees");
  });

  it("counts in a history as what arrived after a rewind too, where its state is gone", async () => {
    const before = BigInt(await anvil.blockNumber());
    await token.call(payer, "transfer", [wallet, 1_000n]);
    await token.call(payer, "swallow", [wallet, 1_000n]);
    const tokens = [
      { code: "SKIM", address: token.address, decimals: 6, kind: "fee_on_transfer" as const },
    ];
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens, startBlock: before });
    await watched.catchUp();
    walletId = await watched.addWallet(wallet, "deposit", watched.businessId, before + 1n);
    await settle();
    const { chainName, db } = watched;
    const fill = async () => {
      while ((await fillHistory(ports(), chainName)).kind !== "idle");
    };
    await fill();
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    const gone = await Promise.all([1, 2].map((one) => forgettingBlock(Number(before) + one)));
    proxy.misbehave((call, forward) =>
      gone.reduce<ReturnType<Misbehave>>((said, forget) => said ?? forget(call, forward), null),
    );
    await rewindChain(db, { chainName, toNumber: before });
    watched.restart();
    await watched.catchUp();
    await fill();
    expect(await recorded(walletId)).toEqual([["deposit", 990n, "completed"]]);
    expect(await db.notification.count()).toBe(0);
    expect((await checkLedger(db)).findings).toEqual([]);
  });
});

it("a token that is declared exact counts as it logs, and is not measured", async () => {
  await watch({ kind: "exact" });
  proxy.calls.length = 0;
  await token.call(payer, "transfer", [wallet, 1_000n]);
  await settle();
  expect(await recorded(walletId)).toEqual([["deposit", 1_000n, "completed"]]);
  expect(proxy.calls).not.toContain("eth_call");
});
