import type { BlockHeader } from "../../domain/chain/block.ts";
import type { AssetAddress } from "../../domain/money/movement.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type {
  HistoryCursor,
  HistoryPlan,
  HistoryVerdict,
  HistoryWallet,
  PlannedHistory,
} from "../../domain/watch/history.ts";
import { watchFilterOf } from "../../domain/watch/watch-filter.ts";
import type { HistoryLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createReadAhead } from "../catch-up/read-ahead.ts";
import type { OldBlocks } from "../gate/old-blocks.ts";
import type { Rounds } from "../gate/rounds.ts";
import { isShown, unlessGone } from "../gate/shown.ts";
import { matchMovements } from "../match-movements.ts";
import type { MatchedReading } from "../prove-traces.ts";
import { aloneAt, checkStretch, type Stretch, type StretchPorts } from "./check-stretch.ts";

export type HistoryPorts = Omit<StretchPorts, "gate"> & {
  chain: Pick<ChainSource, "loadRange" | "header">;
  rounds: Rounds<HistoryCursor>;
  ledger: HistoryLedger;
  oldBlocks: OldBlocks;
  log: Logger;
};

/** Blocks of one step: some seconds of reading. A restart loses no more than that. */
const blocksPerStep = 512n;

/** The progress of one chain's histories. `idle`: there is nothing to do now. */
export type HistoryOutcome =
  | { kind: "read"; from: bigint; to: bigint; wallets: number; transactions: number }
  | { kind: "judged"; wallets: number }
  /** The blocks that were read are not shown to be of the chain: nothing was written. */
  | { kind: "not_linked"; from: bigint; to: bigint }
  /**
   * The movements that were found wait for another host, or the balances of these wallets do not
   * show them: nothing was written.
   */
  | { kind: "not_shown"; from: bigint; to: bigint; walletIds: string[] }
  | { kind: "idle" };

/**
 * One bounded step (docs/invariants.md#i9): reads the next blocks that are missing in histories,
 * once for all wallets that miss them, and writes their movements. Where a history is complete, it
 * judges whether that explains the opening balance. Only confirmed blocks are read; no balance
 * changes and nobody is notified. Where nothing could be written, the next step goes on behind
 * these wallets. Safe to repeat and to break off at any time.
 */
export async function fillHistory(ports: HistoryPorts, chainName: string): Promise<HistoryOutcome> {
  const { ledger, rounds } = ports;
  return rounds.step(
    (after) => ledger.readHistoryPlan(chainName, { after, maxBlocks: blocksPerStep }),
    (planned) => fillPlanned({ ...ports, gate: rounds.gate }, chainName, planned),
    ({ kind }) => kind === "read",
  );
}

type StepPorts = HistoryPorts & StretchPorts;

async function fillPlanned(
  ports: StepPorts,
  chainName: string,
  planned: PlannedHistory,
): Promise<HistoryOutcome> {
  if (planned.kind === "nothing") ports.gate.waitFor("history", { silent: [], disputed: [] });
  if (planned.kind !== "planned") return { kind: "idle" };
  const { plan } = planned;
  if (plan.from > plan.to) return judgeAll(ports, chainName, plan.wallets);
  const { from, to, wallets } = plan;
  const stretch = await readBlocks(ports, chainName, plan);
  if (stretch === null) return { kind: "not_linked", from, to };
  const checked = await checkStretch(ports, stretch);
  if (checked.kind !== "shown") {
    const walletIds = checked.kind === "differs" ? checked.walletIds : [];
    return { kind: "not_shown", from, to, walletIds };
  }
  const { blocks } = checked;
  const outcome = await ports.ledger.recordHistory({ chainName, plan, blocks });
  if (outcome.kind === "moved") return { kind: "idle" };
  const { transactions } = outcome;
  return { kind: "read", from, to, wallets: wallets.length, transactions };
}

/**
 * Null where the blocks do not follow one another. Null also where the last block is not shown to
 * be of the chain.
 */
async function readBlocks(
  { chain, oldBlocks }: HistoryPorts,
  chainName: string,
  plan: HistoryPlan,
): Promise<Stretch | null> {
  const untilOf = new Map(plan.wallets.map(({ id, until }) => [id, until]));
  const list = watchlistOf(plan);
  const { from, to } = plan;
  const watchFilter = watchFilterOf(list);
  const ahead = createReadAhead(chain, { from, to, watchFilter, mayLackTraces: false });
  const found: MatchedReading[] = [];
  let first: BlockHeader | null = null;
  let last: BlockHeader | null = null;
  try {
    for (;;) {
      const blocks = await ahead.next();
      if (blocks.length === 0) {
        if (first === null || last?.number !== to) return null;
        return (await oldBlocks.isOfChain(last)) ? { plan, list, first, last, found } : null;
      }
      for (const block of blocks) {
        const { header } = block;
        if (last !== null && header.parentHash !== last.hash) return null;
        first ??= header;
        last = header;
        const matched = matchMovements(chainName, block, list).filter(
          ({ walletId, assetId }) => header.number <= (untilOf.get(walletId)?.get(assetId) ?? -1n),
        );
        if (matched.length > 0) found.push({ block, header, matched });
      }
    }
  } finally {
    ahead.close();
  }
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
  ports: StepPorts,
  chainName: string,
  wallets: HistoryWallet[],
): Promise<HistoryOutcome> {
  let judged = 0;
  for (const wallet of wallets) {
    const verdict = await judge(ports, wallet);
    // Its opening balance is not read yet, or a second host is waited for.
    if (verdict === null) continue;
    await ports.ledger.finishHistory(wallet.id, verdict);
    judged += 1;
    const fields = { chain: chainName, walletId: wallet.id, from: wallet.fromNumber, verdict };
    if (verdict === "differs") ports.log.error(fields, "history.checked");
    else ports.log.info(fields, "history.checked");
  }
  if (judged === wallets.length) ports.gate.waitFor("history", { silent: [], disputed: [] });
  return judged === 0 ? { kind: "idle" } : { kind: "judged", wallets: judged };
}

/** The balance before the history, and what moved in it, must add up to the opening. */
async function judge(ports: StepPorts, wallet: HistoryWallet): Promise<HistoryVerdict | null> {
  const sums = await ports.ledger.readHistorySums(wallet.id);
  if (sums === null) return null;
  const before = await heldBefore(ports, wallet, sums);
  if (before === "waits") return null;
  if (before === null) return "unknown";
  const agrees = sums.every(({ opening, sum }, index) => (before[index] ?? 0n) + sum === opening);
  return agrees ? "agrees" : "differs";
}

/**
 * Null where no endpoint has that state any more, a token's contract fails in it, or its block is
 * not shown to be of the chain. `waits`: one endpoint alone says so, beside others.
 */
async function heldBefore(
  { chain, gate, oldBlocks }: StepPorts,
  { address, fromNumber }: HistoryWallet,
  sums: readonly { assetAddress: AssetAddress }[],
): Promise<bigint[] | "waits" | null> {
  if (fromNumber === 0n) return sums.map(() => 0n);
  const questions = sums.map(({ assetAddress }) => ({ walletAddress: address, assetAddress }));
  const before = await chain.header(fromNumber - 1n);
  if (!(await oldBlocks.isOfChain(before))) return null;
  const read = await unlessGone(chain.balancesAt(before.hash, questions));
  if (read === null || read.reverted.length > 0) return null;
  if (questions.every((_, place) => isShown(chain, read, place))) return read.amounts;
  const { number } = before;
  const isDisputed = read.disputed.length > 0;
  const passed = gate.waitFor("history", {
    silent: isDisputed ? [] : [aloneAt(number)],
    disputed: isDisputed ? [number] : [],
  });
  return passed.size > 0 ? read.amounts : "waits";
}
