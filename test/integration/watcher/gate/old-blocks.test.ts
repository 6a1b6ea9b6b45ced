import { afterEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import type { Position } from "../../../../src/domain/chain/block.ts";
import type { Movement } from "../../../../src/domain/money/movement.ts";
import { createOldBlockLedger } from "../../../../src/ledger/watching.ts";
import { createOldBlocks } from "../../../../src/watcher/gate/old-blocks.ts";
import {
  nothingCompared,
  type ReconcilePorts,
  reconcileStep,
} from "../../../../src/watcher/reconcile/reconcile.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { keepingLog } from "../../../support/fault-steps.ts";
import { resetChain } from "../../../support/ledger/steps.ts";

const forgedHash = `0x${"6".repeat(64)}` as const;

/** More than the hashes of the window. */
const longBlocks = 560;

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;

afterEach(() => watched.stop());

async function watch(options: { rpcUrls?: string[]; tracing?: "off" } = {}): Promise<string> {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, farBlocks: 64n, ...options });
  await watched.catchUp();
  const walletId = await openWallet(watched, anvil);
  return walletId;
}

async function longTime(): Promise<void> {
  await anvil.mine(longBlocks - 1);
  // The hashes of half an hour are kept, however many they are.
  await anvil.rpc("evm_increaseTime", 1_801);
  await anvil.mine(1);
  await watched.catchUp();
}

async function blockAt(number: number): Promise<Position> {
  const { hash } = await anvil.block(number);
  return { number: BigInt(number), hash: hash as Position["hash"] };
}

const reconcile = async (chain: ReconcilePorts["chain"] = watched.chain) => {
  const { ledger, oldBlocks, chainName } = watched;
  const ports = { chain, ledger, oldBlocks, log: keepingLog().log };
  const outcome = await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
  return outcome.kind === "done" ? outcome.progress.findings.map((one) => one.outcome) : outcome;
};

describe("a block below every hash that is stored", () => {
  it("is of the chain where its children lead to a stored one, and not with another hash", async () => {
    await watch();
    await longTime();
    expect(await watched.db.block.count({ where: { number: 3n } })).toBe(0);
    const real = await blockAt(3);
    expect(await watched.oldBlocks.isOfChain(real)).toBe(true);
    expect(await watched.oldBlocks.isOfChain({ ...real, hash: forgedHash })).toBe(false);
  });

  it("is not where the endpoint names another parent on the way: no header has such a hash", async () => {
    await watch();
    await longTime();
    proxy.misbehave(async ({ params }, forward) => {
      const answer = await forward();
      return {
        result: params[0] === "0x4" ? { ...(answer as object), parentHash: forgedHash } : answer,
      };
    });
    const asked = watched.oldBlocks.isOfChain({ number: 3n, hash: forgedHash });
    await expect(asked).rejects.toMatchObject({ code: "rpc_inconsistent" });
  });

  it("is followed to the nearest of the checkpoints, of which every 512th confirmed hash is kept", async () => {
    await watch();
    await longTime();
    await longTime();
    const kept = await watched.db.checkpoint.findMany({ orderBy: { number: "asc" } });
    expect(kept.at(-1)).toMatchObject({ number: 512n, hash: (await blockAt(512)).hash });
    proxy.calls.length = 0;
    expect(await watched.oldBlocks.isOfChain(await blockAt(500))).toBe(true);
    expect(proxy.calls.length).toBeLessThan(20);
  });

  it("leaves no checkpoint of a chain that is reset on the way", async () => {
    await watch();
    await longTime();
    await longTime();
    const { chain, gate, db, chainName } = watched;
    await db.checkpoint.deleteMany();
    const own = {
      async ancestors(request: Parameters<typeof chain.ancestors>[0]) {
        const read = await chain.ancestors(request);
        await resetChain(db, chainName);
        return read;
      },
    };
    const ports = { chain: own, gate, ledger: createOldBlockLedger(db), log: keepingLog().log };
    await createOldBlocks(ports, chainName).isOfChain(await blockAt(500));
    expect(await db.checkpoint.count()).toBe(0);
  });

  it("is what two endpoints of different hosts have, without a header in between", async () => {
    await watch({ rpcUrls: [proxy.url, anvil.rpcUrl] });
    await longTime();
    proxy.calls.length = 0;
    const real = await blockAt(3);
    expect(await watched.oldBlocks.isOfChain(real)).toBe(true);
    expect(await watched.oldBlocks.isOfChain({ ...real, hash: forgedHash })).toBe(false);
    expect(proxy.calls.length).toBeLessThan(6);
  });

  it("is not written when it is read again and does not belong to the chain", async () => {
    const walletId = await watch();
    await longTime();
    const { chain } = watched;
    const owner = parseAddress(wallet);
    const lying: ReconcilePorts["chain"] = {
      ...chain,
      async loadBlock(number) {
        const block = await chain.loadBlock(number);
        if (number !== 5n) return block;
        const movement: Movement = {
          ...({
            kind: "transfer",
            asset: "native",
            txHash: forgedHash,
            amountAtomic: 7n * ether,
          } as const),

          from: parseAddress(payer),
          to: owner,
          logIndex: null,
          tracePath: null,
        };
        const header = { ...block.header, hash: forgedHash };
        return { ...block, header, movements: [movement] };
      },
      async balancesAt(hash, questions) {
        const read = await chain.balancesAt(hash, questions);
        return { ...read, amounts: read.amounts.map((amount) => amount + 7n * ether) };
      },
    };
    expect(await reconcile(lying)).toEqual(["discrepancy"]);
    expect(await watched.history(walletId)).toEqual([]);
    expect(await watched.db.notification.count()).toBe(0);
  });
});

describe("a difference", () => {
  it("that stays open keeps its own height, and not all others from agreeing higher up", async () => {
    await watch();
    expect(await reconcile()).toEqual([]);
    const agreed = await watched.ledger.readAgreed(watched.chainName);
    await anvil.setBalance(wallet, 3n * ether);
    for (let round = 0; round < 2; round += 1) {
      await anvil.mine(5);
      await watched.catchUp();
      expect(await reconcile()).toEqual(["discrepancy"]);
    }
    const { confirmedNumber } = await watched.ledger.readChainState(watched.chainName);
    expect(await watched.ledger.readAgreed(watched.chainName)).toBe(confirmedNumber);
    const [open] = await watched.db.discrepancy.findMany();
    expect(open?.sinceNumber).toBe(agreed);
  });

  it("that came about below the window, on a chain that is not traced, is found to its block", async () => {
    const vault = await deploy(anvil, "Vault");
    await anvil.sendNative({ from: payer, to: vault.address, amountAtomic: 9n * ether });
    const walletId = await watch({ tracing: "off" });
    await vault.call(payer, "execute", [wallet, 3n * ether, "0x"]);
    const paidAt = BigInt(await anvil.blockNumber());
    await longTime();
    expect(await reconcile()).toEqual(["unattributed"]);
    expect((await watched.balances(walletId))["ETH"]).toBe(3n * ether);
    const [change] = await watched.db.transaction.findMany({ where: { walletId } });
    expect(change?.blockNumber).toBe(paidAt);
    expect(await reconcile()).toEqual([]);
  });

  it("whose block has left the chain meanwhile is open until it has been looked at again", async () => {
    await watch();
    await anvil.setBalance(wallet, ether);
    await anvil.mine(3);
    await watched.catchUp();
    const { ledger, oldBlocks, chainName, chain } = watched;
    let pages = 0;
    const moving = {
      ...ledger,
      // As during a reorganisation: what differed cannot be compared once more.
      readLedgerBalances: async (asked: Parameters<typeof ledger.readLedgerBalances>[0]) => {
        pages += 1;
        return pages === 2 ? null : ledger.readLedgerBalances(asked);
      },
    };
    const ports = { chain, ledger: moving, oldBlocks, log: keepingLog().log };
    const outcome = await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
    expect(outcome).toMatchObject({ kind: "done", progress: { findings: [{ outcome: "moved" }] } });
    expect(await watched.db.discrepancy.count()).toBe(1);
  });
});
