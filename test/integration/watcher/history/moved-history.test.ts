import { afterEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { createRounds } from "../../../../src/watcher/gate/rounds.ts";
import { fillHistory, type HistoryPorts } from "../../../../src/watcher/history/fill-history.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachTestToken } from "../../../support/chain/each-chain.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { configureChains, requestHistory, rewindChain } from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";

type HistoryLedger = HistoryPorts["ledger"];

const { anvil, proxy } = eachProxiedChain();
const token = eachTestToken(anvil);
let watched: WatchedChain;

afterEach(() => watched.stop());

/** Fills in histories, by a process whose ledger is in part another one, until nothing is to do. */
async function fill(changed: Partial<HistoryLedger> = {}): Promise<void> {
  const process: HistoryPorts = {
    chain: watched.chain,
    rounds: createRounds(watched.gate),
    ledger: { ...watched.ledger, ...changed },
    oldBlocks: watched.oldBlocks,
    log: quiet,
  };
  while ((await fillHistory(process, watched.chainName)).kind !== "idle");
}

/** The work once, and then no more. */
function once(work: () => Promise<void>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await work();
  };
}

/** Something happens while the verdict on a history is found. */
function whileJudged(happens: () => Promise<void>): Partial<HistoryLedger> {
  const happen = once(happens);
  return {
    async readHistorySums(walletId) {
      const sums = await watched.ledger.readHistorySums(walletId);
      await happen();
      return sums;
    },
  };
}

/**
 * Watches the coin, and a wallet that was paid a token and 5 of the coin before. Its history is
 * asked for from a number of blocks after the second payment on.
 */
async function watchPaid(after: bigint): Promise<{ walletId: string; paidIn: bigint }> {
  await token.transfer(payer, wallet, 70n);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  const paidIn = BigInt(await anvil.blockNumber());
  await anvil.mine(2);
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
  await watched.catchUp();
  const { businessId } = watched;
  const walletId = await watched.addWallet(wallet, "deposit", businessId, paidIn + after);
  await anvil.mine(2);
  await watched.catchUp();
  return { walletId, paidIn };
}

const amounts = async (walletId: string) =>
  (await watched.history(walletId)).map(({ asset, amountAtomic }) => `${amountAtomic} ${asset}`);

const verdictOf = async (walletId: string) =>
  (await watched.db.history.findUniqueOrThrow({ where: { walletId } })).verdict;

describe("a history that changes while it is read", () => {
  it("is read again for an asset that was added while its first blocks were", async () => {
    const { walletId } = await watchPaid(-1n);
    const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
    const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" } as const;
    const addAsset = once(async () => {
      const chain = { name: watched.chainName, chainId: 31_337, assets: [native, own] };
      await configureChains(watched.db, [chain], "removed");
      await anvil.mine(3);
      await watched.catchUp();
    });
    await fill({
      async recordHistory(stretch) {
        await addAsset();
        return watched.ledger.recordHistory(stretch);
      },
    });
    await fill();
    expect(await amounts(walletId)).toEqual(["70 TST", "5 ETH"]);
    expect(await verdictOf(walletId)).toBe("agrees");
  });

  it("is read on where more of it was asked for while its verdict was found", async () => {
    const { walletId, paidIn } = await watchPaid(1n);
    await fill(
      whileJudged(async () => {
        await requestHistory(watched.db, { walletId, fromNumber: paidIn });
      }),
    );
    await fill();
    expect(await amounts(walletId)).toEqual(["5 ETH"]);
    expect(await verdictOf(walletId)).toBe("agrees");
  });

  it("is read again where its chain was rewound while its verdict was found", async () => {
    const { walletId, paidIn } = await watchPaid(0n);
    await fill(
      whileJudged(async () => {
        const { db, chainName } = watched;
        await rewindChain(db, { chainName, toNumber: paidIn - 1n });
        await watched.catchUp();
      }),
    );
    await fill();
    expect(await amounts(walletId)).toEqual(["5 ETH"]);
    expect(await verdictOf(walletId)).toBe("agrees");
  });

  it("explains nothing where a reorg lets its wallet be watched from before it on", async () => {
    await anvil.mine(5);
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
    await watched.catchUp();
    const addedAt = BigInt(await anvil.blockNumber());
    const { businessId } = watched;
    const walletId = await watched.addWallet(wallet, "deposit", businessId, addedAt);
    await anvil.rollback(3);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(5);
    await watched.catchUp();
    await fill();
    expect(await amounts(walletId)).toEqual(["5 ETH"]);
    expect(await watched.balances(walletId)).toEqual({ ETH: 5n });
    expect(await verdictOf(walletId)).toBe("agrees");
  });
});
