import type { Address } from "../domain/address.ts";
import type { BlockHeader, Hash } from "../domain/block.ts";
import { faultIn } from "../domain/fault.ts";
import type { HistoryPlan, HistoryVerdict, HistoryWallet } from "../domain/history.ts";
import type { MatchedTransaction } from "../domain/matched-transaction.ts";
import type { AssetAddress, LoadedBlock } from "../domain/movement.ts";
import type { Watchlist } from "../domain/watchlist.ts";
import type { Logger } from "../runtime/logger.ts";
import { matchMovements } from "./match-movements.ts";

type Holding = { walletAddress: Address; assetAddress: AssetAddress };

export type HistoryPorts = {
  chain: {
    header: (number: bigint) => Promise<BlockHeader>;
    loadBlock: (number: bigint) => Promise<LoadedBlock>;
    balancesAt: (blockHash: Hash, holdings: Holding[]) => Promise<bigint[]>;
  };
  ledger: {
    readHistoryPlan: (chainName: string, maxBlocks: bigint) => Promise<HistoryPlan | null>;
    recordHistory: (stretch: {
      chainName: string;
      plan: HistoryPlan;
      blocks: { header: BlockHeader; matched: MatchedTransaction[] }[];
    }) => Promise<{ kind: "recorded"; transactions: number } | { kind: "moved" }>;
    readHistorySums: (
      walletId: string,
    ) => Promise<{ assetAddress: AssetAddress; opening: bigint; sum: bigint }[] | null>;
    finishHistory: (walletId: string, verdict: HistoryVerdict) => Promise<void>;
  };
  log: Logger;
};

/** Blocks of one step: a second or so of reading, which is all that a restart loses. */
const blocksPerStep = 64n;

/** Read side by side; the head needs the endpoints too. */
const blocksAtOnce = 8;

/** How far one chain's histories have come. `idle`: nothing is to be done now. */
export type HistoryOutcome =
  | { kind: "read"; from: bigint; to: bigint; wallets: number; transactions: number }
  | { kind: "judged"; wallets: number }
  | { kind: "idle" };

/**
 * One bounded step (I9): reads the next blocks that histories lack, once for all wallets that lack them, and writes what
 * moved for them there; or, where a history is whole, judges whether it explains the opening balance. From confirmed
 * blocks alone; no balance is moved and nothing rings. Safe to repeat and to break off at any time.
 */
export async function fillHistory(ports: HistoryPorts, chainName: string): Promise<HistoryOutcome> {
  const plan = await ports.ledger.readHistoryPlan(chainName, blocksPerStep);
  if (plan === null) return { kind: "idle" };
  if (plan.from > plan.to) return judgeAll(ports, chainName, plan.wallets);
  const blocks = await readBlocks(ports, chainName, plan);
  const outcome = await ports.ledger.recordHistory({ chainName, plan, blocks });
  if (outcome.kind === "moved") return { kind: "idle" };
  const { from, to, wallets } = plan;
  const { transactions } = outcome;
  return { kind: "read", from, to, wallets: wallets.length, transactions };
}

async function readBlocks({ chain }: HistoryPorts, chainName: string, plan: HistoryPlan) {
  const untilOf = new Map(plan.wallets.map(({ id, until }) => [id, until]));
  const list = watchlistOf(plan);
  const match = (block: LoadedBlock) => ({
    header: block.header,
    matched: matchMovements(chainName, block, list).filter(
      ({ walletId, assetId }) =>
        block.header.number <= (untilOf.get(walletId)?.get(assetId) ?? -1n),
    ),
  });
  const blocks: ReturnType<typeof match>[] = [];
  for (let first = plan.from; first <= plan.to; first += BigInt(blocksAtOnce)) {
    const count = Math.min(blocksAtOnce, Number(plan.to - first) + 1);
    const numbers = Array.from({ length: count }, (_, index) => first + BigInt(index));
    const loaded = await Promise.all(numbers.map((number) => chain.loadBlock(number)));
    blocks.push(...loaded.map(match).filter(({ matched }) => matched.length > 0));
  }
  return blocks;
}

function watchlistOf({ wallets, assets }: HistoryPlan): Watchlist {
  return {
    version: 0n,
    wallets: new Map(
      wallets.map(({ id, businessId, address, purpose, fromNumber }) => [
        address,
        { id, businessId, address, purpose, since: fromNumber - 1n },
      ]),
    ),
    assets: new Map(assets.map((asset) => [asset.address, asset])),
  };
}

async function judgeAll(
  ports: HistoryPorts,
  chainName: string,
  wallets: HistoryWallet[],
): Promise<HistoryOutcome> {
  let judged = 0;
  for (const wallet of wallets) {
    const verdict = await judge(ports, wallet);
    // Its opening balance is not read yet.
    if (verdict === null) continue;
    await ports.ledger.finishHistory(wallet.id, verdict);
    judged += 1;
    const fields = { chain: chainName, walletId: wallet.id, from: wallet.fromNumber, verdict };
    if (verdict === "differs") ports.log.error(fields, "history.checked");
    else ports.log.info(fields, "history.checked");
  }
  return judged === 0 ? { kind: "idle" } : { kind: "judged", wallets: judged };
}

/** What was held before and what moved since must make up the opening. */
async function judge(
  { chain, ledger }: HistoryPorts,
  wallet: HistoryWallet,
): Promise<HistoryVerdict | null> {
  const sums = await ledger.readHistorySums(wallet.id);
  if (sums === null) return null;
  const before = await heldBefore(chain, wallet, sums);
  if (before === null) return "unknown";
  const agrees = sums.every(({ opening, sum }, index) => (before[index] ?? 0n) + sum === opening);
  return agrees ? "agrees" : "differs";
}

/** Null where no endpoint has that state any more. */
async function heldBefore(
  chain: HistoryPorts["chain"],
  { address, fromNumber }: HistoryWallet,
  sums: readonly { assetAddress: AssetAddress }[],
): Promise<bigint[] | null> {
  if (fromNumber === 0n) return sums.map(() => 0n);
  const holdings = sums.map(({ assetAddress }) => ({ walletAddress: address, assetAddress }));
  try {
    const { hash } = await chain.header(fromNumber - 1n);
    return await chain.balancesAt(hash, holdings);
  } catch (error) {
    if (faultIn(error)?.code === "state_unavailable") return null;
    throw error;
  }
}
