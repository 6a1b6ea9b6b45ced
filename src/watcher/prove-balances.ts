import type { Hash, Position } from "../domain/chain/block.ts";
import { groupedBy } from "../domain/grouped-by.ts";
import type { BalanceQuestion } from "../domain/money/balance.ts";
import {
  type BalanceChange,
  type BalanceVerdict,
  changesIn,
  type DifferingChange,
} from "../domain/money/balance-change.ts";
import {
  isOnlyTraced,
  type MatchedBlock,
  type MatchedTransaction,
} from "../domain/money/matched-transaction.ts";
import { nativeAddress } from "../domain/money/movement.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import type { Watchlist } from "../domain/watch/watchlist.ts";
import { findDifference, readAround } from "./balances-after.ts";
import { isShown } from "./gate/shown.ts";

export type ProvingChain = Pick<
  ChainSource,
  "seesEveryMove" | "balancesAt" | "coinSteps" | "isAlone" | "agreeOnMoves"
>;

/** The part of the chain that balances are compared with. */
type ComparingChain = Pick<ProvingChain, "balancesAt" | "coinSteps" | "isAlone">;

export type BalanceProofs = {
  /** Returns a block's transactions, with those marked that wait for a proof. */
  mark: (block: MatchedBlock) => MatchedTransaction[];
  differing: DifferingChange[];
};

/** The number of blocks whose balances are read together. */
const blocksAtOnce = 64;

/**
 * Compares the movements of the coin in each block with the balances before and after it. So a
 * false or incomplete trace confirms no movement. Tokens do not need this: the block's hash proves
 * their logs. If no endpoint has the state of a block any more, that block and older ones cannot be
 * compared. Then their movements wait if only a trace shows them, and do not wait if the block's
 * hash covers them.
 * @throws Fault `rpc_unavailable`
 */
export async function proveBalances(
  chain: ProvingChain,
  found: { list: Watchlist; blocks: readonly MatchedBlock[]; tip: Position },
): Promise<BalanceProofs> {
  const assetId = found.list.assets.get(nativeAddress)?.id;
  if (assetId === undefined) return { mark: ({ matched }) => matched, differing: [] };
  // Blocks without a match may contain movements of something that begins to be watched now. So
  // this remembers only which blocks differ from the tip.
  const isUsual = await chain.seesEveryMove(found.tip.hash);
  const others = new Set<Hash>();
  const isCompared = (blockHash: Hash) => others.has(blockHash) !== isUsual;
  const changes: BalanceChange[] = [];
  for (const { header, matched } of found.blocks) {
    const moved = changesIn(header, matched, assetId);
    if (moved.length === 0) continue;
    if ((await chain.seesEveryMove(header.hash)) !== isUsual) others.add(header.hash);
    if (isCompared(header.hash)) changes.push(...moved);
  }
  const verdicts = await judgeChanges(chain, changes);
  const kinds = new Map<string, BalanceVerdict["kind"]>();
  const differing: DifferingChange[] = [];
  for (const [change, verdict] of verdicts) {
    kinds.set(keyOf(change.block.hash, change.walletId), verdict.kind);
    if (verdict.kind === "differs") differing.push({ ...change, ...verdict });
  }
  const isShownBy = (kind: BalanceVerdict["kind"] | undefined, one: MatchedTransaction) =>
    kind === "proved" || (kind === "unknown" && !isOnlyTraced(one));
  return {
    mark: ({ header, matched }) =>
      matched.map((one) =>
        one.assetId !== assetId ||
        !isCompared(header.hash) ||
        isShownBy(kinds.get(keyOf(header.hash, one.walletId)), one)
          ? one
          : { ...one, isUnproven: true },
      ),
    differing,
  };
}

/**
 * Judges each change. Asks for the newest blocks first: if a state is gone, all older ones are gone
 * too.
 */
export async function judgeChanges<Change extends BalanceChange>(
  chain: ComparingChain,
  changes: readonly Change[],
): Promise<Map<Change, BalanceVerdict>> {
  const byBlock = groupedBy(changes, ({ block }) => block.hash);
  const blocks = [...byBlock.values()].sort(([a], [b]) =>
    b.block.number > a.block.number ? 1 : -1,
  );
  const verdicts = new Map<Change, BalanceVerdict>();
  let isGone = false;
  for (let first = 0; first < blocks.length; first += blocksAtOnce) {
    const some = blocks.slice(first, first + blocksAtOnce);
    const answers: (BalanceVerdict[] | null)[] = isGone
      ? some.map(() => null)
      : await Promise.all(some.map((block) => judgeBlock(chain, block)));
    for (const [index, block] of some.entries()) {
      const answer = answers[index] ?? null;
      isGone ||= answer === null;
      for (const [at, change] of block.entries())
        verdicts.set(change, answer?.[at] ?? { kind: "unknown" });
    }
  }
  return verdicts;
}

/** Null: no endpoint has that state any more. */
async function judgeBlock(
  chain: ComparingChain,
  changes: readonly [BalanceChange, ...BalanceChange[]],
): Promise<BalanceVerdict[] | null> {
  const [one] = changes;
  const questions = changes.map(
    ({ walletAddress }): BalanceQuestion => ({ walletAddress, assetAddress: nativeAddress }),
  );
  const around = await readAround(chain, one.block, questions);
  if (around === null) return null;
  const [before, after] = around;
  return changes.map((change, place) => {
    if (before.disputed.includes(place) || after.disputed.includes(place))
      return { kind: "disputed" };
    const known = { beforeAtomic: before.amounts[place] ?? 0n, after: after.of[place] };
    const areShown = isShown(chain, before, place) && isShown(chain, after, place);
    const silent = [...before.silent, ...after.silent];
    return (
      findDifference(change, known) ?? (areShown ? { kind: "proved" } : { kind: "unshown", silent })
    );
  });
}

function keyOf(blockHash: Hash, walletId: string): string {
  return `${blockHash}/${walletId}`;
}
