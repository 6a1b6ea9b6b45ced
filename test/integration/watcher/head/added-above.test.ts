import { describe, expect, it, onTestFinished } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { fillHistory } from "../../../../src/watcher/history/fill-history.ts";
import { rescan } from "../../../../src/watcher/reconcile/rescan.ts";
import { type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { deployToken } from "../../../support/chain/token.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import {
  archiveWallet,
  configureChains,
  removeWallet,
  rewindChain,
} from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";

const bystander = "0x000000000000000000000000000000000000b1de";

/** A chain that is watched up to its head, above which nothing is known to it. */
async function watch(depth: number) {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const token = await deployToken(anvil);
  await token.mint(payer, 1_000n);
  await anvil.mine(3);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth });
  onTestFinished(watched.stop);
  await watched.catchUp();
  return { anvil, token, watched };
}

/** Puts a transaction into the lowest of the blocks that a reorg takes away. */
async function moveDown(anvil: Anvil, { hash, depth }: { hash: string; depth: number }) {
  const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
  await anvil.rollback(depth);
  await anvil.sendRaw(raw);
  await anvil.mine(depth + 3);
}

/** Undoes blocks as for a reorg, and then finds them on the chain again. */
async function leaveAndComeBack(watched: WatchedChain, depth: bigint) {
  const { ledger, chainName } = watched;
  const [from, ...below] = await ledger.readWindow(chainName);
  const ancestor = below[Number(depth) - 1];
  if (from === undefined || ancestor === undefined) throw new Error("The window is too short.");
  await ledger.undoBlocks({ chainName, from, ancestor });
  await watched.catchUp();
}

const states = async ({ db }: WatchedChain) =>
  (await db.notification.findMany({ orderBy: { seq: "asc" } })).map(
    ({ state, round }) => `${state} ${round}`,
  );

const isWhole = async ({ db }: WatchedChain) =>
  expect((await checkLedger(db)).findings).toEqual([]);

async function fillAll(watched: WatchedChain): Promise<void> {
  const { chain, rounds, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, rounds: rounds.histories, ledger, oldBlocks, log: quiet };
  while ((await fillHistory(ports, chainName)).kind !== "idle");
}

const pay = (anvil: Anvil, to = wallet) =>
  anvil.sendNative({ from: payer, to, amountAtomic: ether });

describe("a payment that a reorg puts below the addition of its wallet", () => {
  it.each([
    ["not seen before", 3, false],
    ["pending before", 3, true],
    ["completed before", 1, true],
  ])("is a deposit, notified once: %s", async (_, depth, isSeen) => {
    const { anvil, watched } = await watch(depth);
    await anvil.mine(1);
    await watched.catchUp();
    const walletId = await watched.addWallet(wallet);
    const hash = await pay(anvil);
    if (isSeen) await watched.catchUp();
    expect(await states(watched)).toEqual(depth === 1 ? ["confirmed 0"] : []);
    await moveDown(anvil, { hash, depth: 2 });
    await watched.catchUp();
    expect(await watched.history(walletId)).toMatchObject([{ status: "completed" }]);
    expect(await states(watched)).toEqual(["confirmed 0"]);
    expect(await watched.balances(walletId)).toEqual({ ETH: ether });
    await isWhole(watched);
  });

  it("is found by a watcher that takes over while the new branch is read", async () => {
    const { anvil, watched } = await watch(3);
    const standby = watched.newStep();
    await anvil.mine(1);
    while ((await standby.run()) === "again");
    const walletId = await watched.addWallet(wallet);
    const hash = await pay(anvil);
    await watched.catchUp();
    while ((await standby.run()) === "again");
    const position = async () => (await watched.db.chain.findFirstOrThrow()).positionNumber ?? 0n;
    const before = await position();
    await moveDown(anvil, { hash, depth: 2 });
    const step = watched.newStep();
    while ((await position()) >= before) await step.run();
    while ((await standby.run()) === "again");
    await watched.catchUp();
    expect(await states(watched)).toEqual(["confirmed 0"]);
    expect(await watched.balances(walletId)).toEqual({ ETH: ether });
    await isWhole(watched);
  });

  it("is no history then, and the history still explains the opening", async () => {
    const { anvil, watched } = await watch(1);
    await pay(anvil);
    await watched.catchUp();
    await anvil.mine(1);
    const above = await pay(anvil);
    await watched.catchUp();
    const fromBlock = BigInt(await anvil.blockNumber()) - 2n;
    const walletId = await watched.addWallet(wallet, "deposit", watched.businessId, fromBlock);
    const fill = () => fillAll(watched);
    await anvil.mine(2);
    await watched.catchUp();
    await fill();
    expect(await watched.history(walletId)).toHaveLength(2);
    expect(await states(watched)).toEqual([]);
    // The second payment and the block below it are taken away, the first one stays.
    await moveDown(anvil, { hash: above, depth: 4 });
    await watched.catchUp();
    await fill();
    expect(await watched.db.history.findFirst()).toMatchObject({ verdict: "agrees" });
    expect(await watched.history(walletId)).toHaveLength(2);
    expect(await states(watched)).toEqual(["confirmed 0"]);
    expect(await watched.balances(walletId)).toEqual({ ETH: 2n * ether });
    await isWhole(watched);
  });
});

describe("a payment of a history", () => {
  it("is a deposit where the branch after a rewind has it above the addition", async () => {
    const { anvil, watched } = await watch(1);
    const hash = await pay(anvil);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    const paidIn = BigInt(await anvil.blockNumber());
    await anvil.mine(2);
    await watched.catchUp();
    const walletId = await watched.addWallet(wallet, "deposit", watched.businessId, paidIn);
    await anvil.mine(1);
    await watched.catchUp();
    await fillAll(watched);
    expect(await watched.history(walletId)).toHaveLength(1);
    await rewindChain(watched.db, { chainName: watched.chainName, toNumber: paidIn - 1n });
    await anvil.rollback(4);
    await anvil.mine(3);
    await anvil.sendRaw(raw);
    await anvil.mine(2);
    await watched.catchUp();
    expect(await watched.history(walletId)).toMatchObject([{ status: "completed" }]);
    expect(await states(watched)).toEqual(["confirmed 0"]);
    expect(await watched.balances(walletId)).toEqual({ ETH: ether });
    await isWhole(watched);
  });
});

describe("a token that is configured above the ancestor of a reorg", () => {
  it("is searched for on the whole new branch", async () => {
    const { anvil, watched, token } = await watch(3);
    const walletId = await watched.addWallet(wallet);
    await anvil.mine(4);
    await watched.catchUp();
    const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
    const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" } as const;
    const { db, chainName } = watched;
    const configured = [{ name: chainName, chainId: 31_337, assets: [native, own] }];
    await configureChains(db, configured, "removed");
    const hash = await token.transfer(payer, wallet, 7n);
    await watched.catchUp();
    await moveDown(anvil, { hash, depth: 2 });
    await watched.catchUp();
    expect(await states(watched)).toEqual(["confirmed 0"]);
    expect(await watched.balances(walletId)).toEqual({ ETH: 0n, TST: 7n });
    await isWhole(watched);
  });
});

describe("an address that changes hands above the ancestor of a reorg", () => {
  it.each([
    ["pending", 3],
    ["completed", 1],
  ])("has each payment for one of the two: %s before", async (_, depth) => {
    const { anvil, watched } = await watch(depth);
    const first = await watched.addWallet(wallet);
    await pay(anvil);
    await anvil.mine(4);
    const hash = await pay(anvil);
    await watched.catchUp();
    await removeWallet(watched.db, first);
    const other = await watched.addBusiness();
    const second = await watched.addWallet(wallet, "deposit", other);
    await moveDown(anvil, { hash, depth: 2 });
    await watched.catchUp();
    const statuses = async (id: string) => (await watched.history(id)).map(({ status }) => status);
    expect(await statuses(first)).toEqual(["completed", depth === 1 ? "reversed" : "dropped"]);
    expect(await statuses(second)).toEqual(["completed"]);
    expect(await watched.balances(second)).toEqual({ ETH: 2n * ether });
    await isWhole(watched);
  });

  it("has a completed payment for one of the two where nobody watched it in between", async () => {
    const { anvil, watched } = await watch(1);
    const first = await watched.addWallet(wallet);
    const hash = await pay(anvil);
    await watched.catchUp();
    await archiveWallet(watched.db, first);
    await anvil.mine(1);
    await watched.catchUp();
    const second = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    await moveDown(anvil, { hash, depth: 3 });
    await watched.catchUp();
    expect(await watched.history(first)).toMatchObject([{ status: "reversed" }]);
    expect(await watched.history(second)).toMatchObject([{ status: "completed" }]);
    expect(await watched.balances(second)).toEqual({ ETH: ether });
    await isWhole(watched);
  });

  it("lists a completed payment once where the address comes back after that", async () => {
    const { anvil, watched } = await watch(1);
    const first = await watched.addWallet(wallet);
    await anvil.mine(1);
    const hash = await pay(anvil);
    await watched.catchUp();
    await archiveWallet(watched.db, first);
    await moveDown(anvil, { hash, depth: 2 });
    await watched.catchUp();
    expect(await watched.history(first)).toMatchObject([{ status: "completed" }]);
    const second = await watched.addWallet(wallet);
    await pay(anvil);
    await watched.catchUp();
    await fillAll(watched);
    expect(await watched.db.transaction.count({ where: { txHash: hash } })).toBe(1);
    expect(await watched.history(second)).toMatchObject([{ status: "completed" }]);
    expect(await watched.balances(second)).toEqual({ ETH: 2n * ether });
    expect(await watched.db.history.findFirst()).toMatchObject({ verdict: "unknown" });
    await isWhole(watched);
  });

  it("has a completed reward for one of the two where a block of it comes after that", async () => {
    const { anvil, watched } = await watch(1);
    await anvil.rpc("anvil_setCoinbase", wallet);
    const first = await watched.addWallet(wallet);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", await pay(anvil, bystander));
    await watched.catchUp();
    await archiveWallet(watched.db, first);
    await anvil.rollback(1);
    await anvil.mine(3);
    await watched.catchUp();
    expect(await watched.history(first)).toMatchObject([{ type: "income", status: "completed" }]);
    const second = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    await anvil.sendRaw(raw);
    await watched.catchUp();
    expect(await watched.history(first)).toMatchObject([{ type: "income", status: "reversed" }]);
    expect(await watched.history(second)).toMatchObject([{ type: "income", status: "completed" }]);
    await isWhole(watched);
  });

  it("lists a completed reward once where the address comes back after that", async () => {
    const { anvil, watched } = await watch(1);
    await anvil.rpc("anvil_setCoinbase", wallet);
    const first = await watched.addWallet(wallet);
    await anvil.mine(1);
    const hash = await pay(anvil, bystander);
    await watched.catchUp();
    await archiveWallet(watched.db, first);
    await moveDown(anvil, { hash, depth: 2 });
    await watched.catchUp();
    const second = await watched.addWallet(wallet);
    await anvil.mine(1);
    await watched.catchUp();
    await fillAll(watched);
    expect(await watched.history(first)).toMatchObject([{ type: "income", status: "completed" }]);
    expect(await watched.history(second)).toEqual([]);
    expect(await watched.db.history.findFirst()).toMatchObject({ verdict: "unknown" });
    await isWhole(watched);
  });

  it("has a completed payment for one of the two where its block comes after that", async () => {
    const { anvil, watched } = await watch(3);
    const first = await watched.addWallet(wallet);
    const hash = await pay(anvil);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    await anvil.mine(2);
    await watched.catchUp();
    await archiveWallet(watched.db, first);
    await anvil.rollback(3);
    await anvil.mine(5);
    await watched.catchUp();
    const second = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    await anvil.sendRaw(raw);
    await anvil.mine(1);
    await watched.catchUp();
    const statuses = async () =>
      (await watched.db.transaction.findMany({ orderBy: { createdAt: "asc" } })).map(
        ({ status }) => status,
      );
    // Nobody says yet that the block of the second one stays.
    expect(await statuses()).toEqual(["completed", "pending"]);
    await anvil.mine(2);
    await watched.catchUp();
    expect(await statuses()).toEqual(["reversed", "completed"]);
    expect(await states(watched)).toEqual(["confirmed 0", "confirmed 0", "reversed 0"]);
    expect(await watched.balances(second)).toEqual({ ETH: ether });
    await isWhole(watched);
  });

  it("has a completed payment for one of the two where a comparison reads its block again", async () => {
    const { anvil, watched } = await watch(1);
    const { ledger, chainName, chain, oldBlocks } = watched;
    const first = await watched.addWallet(wallet);
    await anvil.mine(4);
    const hash = await pay(anvil);
    await watched.catchUp();
    const asked = { chainName, walletIds: [first], after: null, limit: 10 };
    const { balances } = (await ledger.readLedgerBalances(asked)) ?? expect.fail();
    await removeWallet(watched.db, first);
    const second = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    await moveDown(anvil, { hash, depth: 2 });
    await watched.catchUp();
    // A comparison that began before the address changed hands.
    const { confirmedNumber } = await ledger.readChainState(chainName);
    const range = { chainName, since: 0n, to: confirmedNumber ?? expect.fail(), balances };
    const found = await rescan({ chain, ledger, oldBlocks, log: quiet }, range);
    expect(found).toEqual({ found: 0, replaced: 0 });
    expect(await watched.history(first)).toMatchObject([{ status: "reversed" }]);
    expect(await watched.history(second)).toMatchObject([{ status: "completed" }]);
    await isWhole(watched);
  });

  it("has a pending payment for one of the two where its block comes back", async () => {
    const { anvil, watched } = await watch(3);
    const first = await watched.addWallet(wallet);
    await anvil.mine(2);
    await pay(anvil);
    await watched.catchUp();
    await archiveWallet(watched.db, first);
    const second = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    await leaveAndComeBack(watched, 2n);
    await anvil.mine(3);
    await watched.catchUp();
    expect(await watched.history(first)).toMatchObject([{ status: "dropped" }]);
    expect(await watched.history(second)).toMatchObject([{ status: "completed" }]);
    expect(await watched.balances(second)).toEqual({ ETH: ether });
    await isWhole(watched);
  });

  it("keeps a completed payment where the other is not watched any more", async () => {
    const { anvil, watched } = await watch(1);
    const first = await watched.addWallet(wallet);
    const hash = await pay(anvil);
    await watched.catchUp();
    await removeWallet(watched.db, first);
    const second = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    await archiveWallet(watched.db, second);
    await moveDown(anvil, { hash, depth: 2 });
    await watched.catchUp();
    expect(await watched.history(first)).toMatchObject([{ status: "completed" }]);
    expect(await watched.history(second)).toEqual([]);
    expect(await states(watched)).toEqual(["confirmed 0"]);
    await isWhole(watched);
  });

  it("does not begin again while blocks of an ended wallet are read again", async () => {
    const { anvil, watched } = await watch(1);
    const first = await watched.addWallet(wallet);
    const before = BigInt(await anvil.blockNumber());
    await pay(anvil);
    await watched.catchUp();
    await archiveWallet(watched.db, first);
    await anvil.mine(2);
    await watched.catchUp();
    await rewindChain(watched.db, { chainName: watched.chainName, toNumber: before });
    await expect(watched.addWallet(wallet)).rejects.toThrow("reads blocks again");
    await watched.catchUp();
    const again = await watched.addWallet(wallet);
    await anvil.mine(1);
    await watched.catchUp();
    expect(await watched.history(first)).toMatchObject([{ status: "completed" }]);
    expect(await watched.history(again)).toEqual([]);
    expect(await states(watched)).toEqual(["confirmed 0"]);
    await isWhole(watched);
  });

  it("does not change hands while blocks are read again", async () => {
    const { anvil, watched } = await watch(1);
    const first = await watched.addWallet(wallet);
    const before = BigInt(await anvil.blockNumber());
    await pay(anvil);
    await anvil.mine(2);
    await watched.catchUp();
    await removeWallet(watched.db, first);
    const other = await watched.addBusiness();
    await rewindChain(watched.db, { chainName: watched.chainName, toNumber: before });
    await expect(watched.addWallet(wallet, "deposit", other)).rejects.toThrow("reads blocks again");
    await watched.catchUp();
    const second = await watched.addWallet(wallet, "deposit", other);
    await anvil.mine(1);
    await watched.catchUp();
    expect(await watched.history(first)).toMatchObject([{ status: "completed" }]);
    expect(await watched.history(second)).toEqual([]);
    expect(await states(watched)).toEqual(["confirmed 0"]);
    await isWhole(watched);
  });
});
