import type { BlockHeader } from "../../domain/chain/block.ts";
import { faultIn } from "../../domain/fault.ts";
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
import { askAgain, orNone, unlessGone } from "../gate/ask-again.ts";
import type { OldBlocks } from "../gate/old-blocks.ts";
import type { Rounds } from "../gate/rounds.ts";
import { isShown } from "../gate/shown.ts";
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

/**
 * The blocks of one step, which take some seconds to read. A restart loses no more than one step.
 */
const blocksPerStep = 512n;

/** The progress of one chain's histories. `idle`: there is nothing to do now. */
export type HistoryOutcome =
  | { kind: "read"; from: bigint; to: bigint; wallets: number; transactions: number }
  | { kind: "judged"; wallets: number }
  /** Nothing was written, because the blocks could not be shown to belong to the chain. */
  | { kind: "not_linked"; from: bigint; to: bigint }
  /**
   * Nothing was written. The movements found wait for another host, or contradict the balances of
   * these wallets.
   */
  | { kind: "not_shown"; from: bigint; to: bigint; walletIds: string[] }
  | { kind: "idle" };

/**
 * One bounded step (docs/invariants.md#i9): reads the next blocks that histories need, once for all
 * wallets that need them. Writes their movements, and decides whether a complete history explains
 * the opening balance. Reads only confirmed blocks, changes no balance, and notifies nobody. If
 * nothing could be written, the next step continues with other wallets. Safe to repeat, and to
 * interrupt at any time.
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
  if (plan.from > plan.to) return judgeAll(ports, chainName, plan);
  const { from, to, wallets } = plan;
  const stretch = await readStretch(ports, chainName, plan);
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
 * Reads the blocks of a plan. The history is held if endpoints answer without giving them. A chain
 * that is out of reach holds no history.
 * @returns null if the blocks do not follow each other, or do not lead to the chain
 * @throws the failures of the endpoints
 */
async function readStretch(
  ports: StepPorts,
  chainName: string,
  plan: HistoryPlan,
): Promise<Stretch | null> {
  const asked = await askAgain(readBlocks(ports, chainName, plan));
  if (asked.kind === "read" && asked.answer !== null) return asked.answer;
  const isOutOfReach = asked.kind === "failed" && faultIn(asked.error)?.code === "rpc_unavailable";
  if (!isOutOfReach)
    ports.gate.waitFor("history", { silent: [], disputed: [], refused: [plan.from] });
  if (asked.kind === "read") return null;
  throw asked.error;
}

async function readBlocks(
  { chain, oldBlocks }: HistoryPorts,
  chainName: string,
  plan: HistoryPlan,
): Promise<Stretch | null> {
  const untilOf = new Map(plan.wallets.map(({ id, until }) => [id, until]));
  const list = listOfPlan(plan);
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
        return (await oldBlocks.isOfChain(last))
          ? { chainName, plan, list, first, last, found }
          : null;
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

function listOfPlan({ wallets, assets }: HistoryPlan): Watchlist {
  return {
    version: 0n,
    changeId: null,
    wallets: new Map(
      wallets.map(({ id, businessId, address, purpose, fromNumber }) => [
        address,
        { id, businessId, address, purpose, since: fromNumber - 1n },
      ]),
    ),
    assets: new Map(assets.map((asset) => [asset.address, asset])),
  };
}

/**
 * Judges each history by itself. One about which endpoints fail is judged in another step.
 * @throws the first failure, if no history could be judged
 */
async function judgeAll(
  ports: StepPorts,
  chainName: string,
  { wallets, from: nextNumber }: HistoryPlan,
): Promise<HistoryOutcome> {
  let judged = 0;
  const failures: unknown[] = [];
  for (const wallet of wallets) {
    const asked = await askAgain(judge(ports, wallet));
    if (asked.kind !== "read") failures.push(asked.error);
    const verdict = asked.kind === "read" ? asked.answer : null;
    // The opening balance is not read yet, or this waits for a second host.
    if (verdict === null) continue;
    const { id: walletId, fromNumber } = wallet;
    const read = { walletId, fromNumber, nextNumber };
    if ((await ports.ledger.finishHistory(read, verdict)) === "moved") continue;
    judged += 1;
    const fields = { chain: chainName, walletId, from: fromNumber, verdict };
    if (verdict === "differs") ports.log.error(fields, "history.checked");
    else ports.log.info(fields, "history.checked");
  }
  if (judged === wallets.length) ports.gate.waitFor("history", { silent: [], disputed: [] });
  if (judged > 0) return { kind: "judged", wallets: judged };
  if (failures.length > 0) throw failures[0];
  return { kind: "idle" };
}

/** Checks that the balance before the history, plus its movements, equals the opening balance. */
async function judge(ports: StepPorts, wallet: HistoryWallet): Promise<HistoryVerdict | null> {
  const sums = await ports.ledger.readHistorySums(wallet.id);
  if (sums === null) return null;
  if (sums === "unknown") return "unknown";
  if (sums.length === 0) return "agrees";
  const before = await heldBefore(ports, wallet, sums);
  if (before === "waits") return null;
  if (before === null) return "unknown";
  const agrees = sums.every(({ opening, sum }, index) => (before[index] ?? 0n) + sum === opening);
  return agrees ? "agrees" : "differs";
}

/**
 * The balances before a history. Null: no endpoint has that state any more, or a token's contract
 * fails in it. Also null if its block is not shown to belong to the chain. `waits`: only one of
 * several endpoints has answered.
 */
async function heldBefore(
  { chain, gate, oldBlocks }: StepPorts,
  { address, fromNumber }: HistoryWallet,
  sums: readonly { assetAddress: AssetAddress }[],
): Promise<bigint[] | "waits" | null> {
  if (fromNumber === 0n) return sums.map(() => 0n);
  const questions = sums.map(({ assetAddress }) => ({ walletAddress: address, assetAddress }));
  const before = await orNone(chain.header(fromNumber - 1n));
  if (before === null || !(await oldBlocks.isOfChain(before))) return null;
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
