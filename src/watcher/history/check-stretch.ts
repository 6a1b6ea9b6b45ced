import type { Address } from "../../domain/chain/address.ts";
import type { BlockHeader, Hash } from "../../domain/chain/block.ts";
import type { BalanceQuestion } from "../../domain/money/balance.ts";
import type { MatchedBlock } from "../../domain/money/matched-transaction.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import { signedAmount } from "../../domain/money/transaction.ts";
import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { HistoryPlan } from "../../domain/watch/history.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import { unlessGone } from "../gate/ask-again.ts";
import { isShown } from "../gate/shown.ts";
import type { ProvingChain } from "../prove-balances.ts";
import { proveMovements } from "../prove-movements.ts";
import type { MatchedReading } from "../prove-traces.ts";

/** Blocks of a history, as they were read for a list. */
export type Stretch = {
  chainName: string;
  plan: HistoryPlan;
  list: Watchlist;
  first: BlockHeader;
  last: BlockHeader;
  found: readonly MatchedReading[];
};

export type StretchPorts = {
  chain: ProvingChain;
  gate: Pick<AgreementGate, "waitFor">;
};

/**
 * `shown`: the blocks may be written. `differs`: the balances of these wallets contradict the
 * blocks.
 */
export type Checked =
  | { kind: "shown"; blocks: MatchedBlock[] }
  | { kind: "waits" }
  | { kind: "differs"; walletIds: string[] };

/**
 * With more balances than this, they are first read together without proofs. The balances that
 * differ are then proved one by one.
 */
const manyBalances = 64;

/**
 * Compares a stretch of histories with the chain. Each wallet's coin before the stretch, plus the
 * movements found, must equal its coin after it. Two hosts must agree on who paid inside a
 * transaction. A claim of only one of several endpoints has to wait. If no endpoint has those
 * states any more, only the payers are compared.
 */
export async function checkStretch(ports: StretchPorts, stretch: Stretch): Promise<Checked> {
  const { chain, gate } = ports;
  const { chainName, list, found, last } = stretch;
  const [proved, ends] = await Promise.all([
    proveMovements(chain, { chainName, list, found, tip: null, unmeasured: "logged" }),
    checkEnds(chain, stretch),
  ]);
  if (ends.kind === "differs") {
    gate.waitFor("history", { silent: [], disputed: [last.number] });
    return ends;
  }
  // The balances decide which host's amounts are right. Then the other host is not needed to
  // confirm who paid.
  const isRefuted = proved.traces === "other_amounts" && ends.kind === "shown";
  const isDisputed = proved.traces === "disputed" || ends.kind === "disputed";
  if (isDisputed || (proved.traces === "other_amounts" && !isRefuted)) {
    gate.waitFor("history", { silent: [], disputed: [last.number] });
    return { kind: "waits" };
  }
  if (proved.traces === "refused") {
    gate.waitFor("history", { silent: [], disputed: [], refused: [last.number] });
    return { kind: "waits" };
  }
  const isSilent = proved.traces === "silent" || ends.kind === "unshown";
  const silent = isSilent ? [aloneAt(last.number)] : [];
  const passed = gate.waitFor("history", { silent, disputed: [] });
  if (isSilent && passed.size === 0) return { kind: "waits" };
  return { kind: "shown", blocks: found.map((block) => believed(proved.mark(block))) };
}

/**
 * All histories of a chain wait as one subject. They change no balance, and one history may have
 * many stretches.
 */
export const aloneAt = (number: bigint) => ({ subject: "history", silent: [], number });

/** Removes the marks of waiting: a history is written as a whole or not at all. */
function believed(block: MatchedBlock): MatchedBlock {
  return { ...block, matched: block.matched.map((one) => ({ ...one, isUnproven: false })) };
}

type Ends =
  | { kind: "shown" | "unshown" | "disputed" | "unknown" }
  | { kind: "differs"; walletIds: string[] };

type Compared = BalanceQuestion & { walletId: string; sumAtomic: bigint };

async function checkEnds(chain: StretchPorts["chain"], stretch: Stretch): Promise<Ends> {
  const { first, last } = stretch;
  // A hard fork is never undone, so if the first block shows every move, the later ones do too.
  const compared = (await chain.seesEveryMove(first.hash)) ? toCompare(stretch) : [];
  if (compared.length === 0) return { kind: "unknown" };
  const at = { before: first.parentHash, after: last.hash };
  const all = await unlessGone(compareEnds(chain, at, compared));
  // Reads the wallets that differ again without the others: few balances are proved one by one.
  const isAgain = all !== null && all.differing.length > 0;
  const ends = isAgain ? await unlessGone(compareEnds(chain, at, all.differing)) : all;
  if (ends === null) return { kind: "unknown" };
  if (ends.differing.length > 0)
    return { kind: "differs", walletIds: ends.differing.map(({ walletId }) => walletId) };
  return { kind: ends.areDisputed ? "disputed" : ends.areShown ? "shown" : "unshown" };
}

async function compareEnds(
  chain: StretchPorts["chain"],
  at: { before: Hash; after: Hash },
  compared: readonly Compared[],
): Promise<{ differing: Compared[]; areShown: boolean; areDisputed: boolean }> {
  const how = { isWide: compared.length > manyBalances };
  const [before, after] = await Promise.all([
    chain.balancesAt(at.before, compared, how),
    chain.balancesAt(at.after, compared, how),
  ]);
  const isDisputed = (place: number) =>
    before.disputed.includes(place) || after.disputed.includes(place);
  return {
    differing: compared.filter(
      ({ sumAtomic }, place) =>
        !isDisputed(place) &&
        (before.amounts[place] ?? 0n) + sumAtomic !== (after.amounts[place] ?? 0n),
    ),
    areDisputed: compared.some((_, place) => isDisputed(place)),
    areShown: compared.every(
      (_, place) => isShown(chain, before, place) && isShown(chain, after, place),
    ),
  };
}

/** The coin of each wallet whose history covers the whole stretch. */
function toCompare({ plan, found }: Stretch): Compared[] {
  const coin = plan.assets.find(({ address }) => address === nativeAddress);
  // There is no state before the first block.
  if (coin === undefined || plan.from === 0n) return [];
  const sums = new Map<string, bigint>();
  for (const one of found.flatMap(({ matched }) => matched)) {
    if (one.assetId !== coin.id) continue;
    sums.set(one.walletId, (sums.get(one.walletId) ?? 0n) + signedAmount(one));
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
