import type { Address } from "../../domain/chain/address.ts";
import type { BlockHeader, Hash } from "../../domain/chain/block.ts";
import { faultIn } from "../../domain/fault.ts";
import type { BalanceQuestion } from "../../domain/money/balance.ts";
import type { MatchedTransaction } from "../../domain/money/matched-transaction.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { HistoryPlan } from "../../domain/watch/history.ts";
import { isShown } from "../gate/shown.ts";
import type { WitnessGate } from "../gate/witness-gate.ts";
import { type MarkTraced, type MatchedReading, proveTraces } from "../prove-traces.ts";

/** Blocks of a history, as they were read. */
export type Stretch = {
  plan: HistoryPlan;
  first: BlockHeader;
  last: BlockHeader;
  found: readonly MatchedReading[];
};

export type StretchPorts = {
  chain: Pick<
    ChainSource,
    "balancesAt" | "isAlone" | "readElsewhere" | "hostsNeeded" | "seesEveryMove"
  >;
  gate: Pick<WitnessGate, "hasWaited" | "dispute" | "release">;
};

/** `shown`: it may be written, with its transactions marked. `differs`: of these wallets the balances show something else. */
export type Checked =
  | { kind: "shown"; mark: MarkTraced }
  | { kind: "waits" }
  | { kind: "differs"; walletIds: string[] };

/** More balances than this are not proved one by one at first; those that differ are. */
const manyBalances = 64;

/**
 * Holds a stretch of histories against the chain: the coin that each wallet had before it, and what was found, make up what it
 * had after it; and who paid inside a transaction is shown by two hosts. What one endpoint alone says, beside others, waits.
 * Where no endpoint has those states any more, only the second is asked for.
 */
export async function checkStretch(ports: StretchPorts, stretch: Stretch): Promise<Checked> {
  const { chain, gate } = ports;
  const { found, last } = stretch;
  const [traced, ends] = await Promise.all([proveTraces(chain, found), checkEnds(chain, stretch)]);
  if (ends.kind === "differs") {
    gate.dispute("history", last.number);
    return ends;
  }
  // Balances that are shown tell whose amounts are right, and nobody's word on who paid is needed of the other.
  const isRefuted = traced.word === "other_amounts" && ends.kind === "shown";
  if (traced.word === "disputed" || (traced.word === "other_amounts" && !isRefuted)) {
    gate.dispute("history", last.number);
    return { kind: "waits" };
  }
  const isSilent = traced.word === "silent" || ends.kind === "unshown";
  if (!isSilent) gate.release("history");
  else if (!gate.hasWaited("history", last.number)) return { kind: "waits" };
  return { kind: "shown", mark: (block) => traced.mark(block).map(believed) };
}

/** It is written, or not: nothing of a history waits in the ledger. */
function believed(one: MatchedTransaction): MatchedTransaction {
  return { ...one, isUnproven: false };
}

type Ends = { kind: "shown" | "unshown" | "unknown" } | { kind: "differs"; walletIds: string[] };

type Compared = BalanceQuestion & { walletId: string; sumAtomic: bigint };

async function checkEnds(chain: StretchPorts["chain"], stretch: Stretch): Promise<Ends> {
  const { first, last } = stretch;
  // A fork is never undone: what the first block shows, all of them do.
  const compared = (await chain.seesEveryMove(first.hash)) ? toCompare(stretch) : [];
  if (compared.length === 0) return { kind: "unknown" };
  const at = { before: first.parentHash, after: last.hash };
  try {
    const all = await compareEnds(chain, at, compared);
    if (all.differing.length === 0) return { kind: all.areShown ? "shown" : "unshown" };
    const again = await compareEnds(chain, at, all.differing);
    if (again.differing.length === 0) return { kind: again.areShown ? "shown" : "unshown" };
    return { kind: "differs", walletIds: again.differing.map(({ walletId }) => walletId) };
  } catch (error) {
    if (faultIn(error)?.code === "state_unavailable") return { kind: "unknown" };
    throw error;
  }
}

async function compareEnds(
  chain: StretchPorts["chain"],
  at: { before: Hash; after: Hash },
  compared: readonly Compared[],
): Promise<{ differing: Compared[]; areShown: boolean }> {
  const how = { isWide: compared.length > manyBalances };
  const [before, after] = await Promise.all([
    chain.balancesAt(at.before, compared, how),
    chain.balancesAt(at.after, compared, how),
  ]);
  return {
    differing: compared.filter(
      ({ sumAtomic }, index) =>
        (before.amounts[index] ?? 0n) + sumAtomic !== (after.amounts[index] ?? 0n),
    ),
    areShown: isShown(chain, before) && isShown(chain, after),
  };
}

/** The coin of each wallet whose history covers the whole stretch. */
function toCompare({ plan, found }: Stretch): Compared[] {
  const coin = plan.assets.find(({ address }) => address === nativeAddress);
  // Before the first block there is no state to ask for.
  if (coin === undefined || plan.from === 0n) return [];
  const sums = new Map<string, bigint>();
  for (const one of found.flatMap(({ matched }) => matched)) {
    if (one.assetId !== coin.id) continue;
    const moved = one.direction === "in" ? one.amountAtomic : -one.amountAtomic;
    sums.set(one.walletId, (sums.get(one.walletId) ?? 0n) + moved);
  }
  return plan.wallets
    .filter(({ fromNumber, until }) => fromNumber <= plan.from && covers(until.get(coin.id), plan))
    .map(({ id, address }: { id: string; address: Address }) => ({
      walletId: id,
      walletAddress: address,
      assetAddress: nativeAddress,
      sumAtomic: sums.get(id) ?? 0n,
    }));
}

function covers(until: bigint | undefined, { to }: HistoryPlan): boolean {
  return until !== undefined && until >= to;
}
