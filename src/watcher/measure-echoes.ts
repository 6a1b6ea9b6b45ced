import type { BlockHeader, Hash } from "../domain/chain/block.ts";
import { type BalanceQuestion, balanceKeyOf } from "../domain/money/balance.ts";
import { signedOf, sumsOf } from "../domain/money/balance-change.ts";
import {
  type MatchedBlock,
  type MatchedTransaction,
  walletOf,
} from "../domain/money/matched-transaction.ts";
import type { Watchlist } from "../domain/watch/watchlist.ts";
import { type ChangingChain, movementIn, readChanges } from "./changes-across.ts";
import { matchEchoes } from "./match-movements.ts";
import type { MatchedReading } from "./prove-traces.ts";

export type MeasuredEchoes = {
  /** Returns a block's transactions, with the echoes that are movements of their own. */
  mark: (block: MatchedBlock) => MatchedTransaction[];
  /** The echoes in a block of which no balance tells whether they are movements. */
  undecided: (block: MatchedBlock) => MatchedTransaction[];
  /** False: the list has changed since, and some echo in the blocks was not decided. */
  covers: (list: Watchlist, found: readonly MatchedReading[]) => boolean;
};

/** The movements and echoes of one wallet and asset in a block. */
type Echoing = BalanceQuestion & { matched: MatchedTransaction[]; echoes: MatchedTransaction[] };

/**
 * Decides about wrappings of a WETH9 that a Transfer reports too. Usually both logs report one
 * movement. But a wallet may also unwrap an amount and send the same amount to the zero address, in
 * one transaction. Its logs are the same. So an echo is a movement of its own only if the balance
 * changed by both. If the balance is not shown, both logs count as one movement, unless the ledger
 * has the echo already.
 * @throws Fault `rpc_unavailable`
 */
export async function measureEchoes(
  chain: ChangingChain,
  of: { chainName: string; list: Watchlist; found: readonly MatchedReading[] },
): Promise<MeasuredEchoes> {
  const { chainName, list, found } = of;
  const echoing = echoingIn(chainName, list, found);
  const changes = await readChanges(chain, echoing);
  const decided = new Set<string>();
  const own = new Map<Hash, MatchedTransaction[]>();
  const unshown = new Map<Hash, MatchedTransaction[]>();
  const add = (
    to: Map<Hash, MatchedTransaction[]>,
    { hash }: BlockHeader,
    more: Echoing["echoes"],
  ) => to.set(hash, [...(to.get(hash) ?? []), ...more]);
  for (const [place, { header, asked }] of echoing.entries())
    for (const [index, { matched, echoes }] of asked.entries()) {
      for (const echo of echoes) decided.add(movementIn(header, echo));
      const once = sumOf(matched);
      const twice = once + sumOf(echoes);
      const change = changes[place]?.[index] ?? null;
      if (change === null) add(unshown, header, echoes);
      else if (twice !== once && change.changeAtomic === twice) add(own, header, echoes);
    }
  const isBeside = (matched: readonly MatchedTransaction[]) => (echo: MatchedTransaction) =>
    besideOf(echo, matched).length > 0;
  return {
    mark({ header, matched }) {
      const echoes = own.get(header.hash)?.filter(isBeside(matched));
      return echoes === undefined ? matched : inOrder([...matched, ...echoes]);
    },
    undecided: ({ header, matched }) => unshown.get(header.hash)?.filter(isBeside(matched)) ?? [],
    covers: (now, again) =>
      echoingIn(chainName, now, again).every(({ header, asked }) =>
        asked.every(({ echoes }) => echoes.every((echo) => decided.has(movementIn(header, echo)))),
      ),
  };
}

function echoingIn(
  chainName: string,
  list: Watchlist,
  found: readonly MatchedReading[],
): { header: BlockHeader; asked: Echoing[] }[] {
  return found.flatMap(({ block, header, matched }) => {
    const asked = balancesOf(list, matched, matchEchoes(chainName, block, list));
    return asked.length === 0 ? [] : [{ header, asked }];
  });
}

function balancesOf(
  list: Watchlist,
  matched: readonly MatchedTransaction[],
  echoes: readonly MatchedTransaction[],
): Echoing[] {
  if (echoes.length === 0) return [];
  const addresses = new Map([...list.assets.values()].map(({ id, address }) => [id, address]));
  const byBalance = new Map<string, Echoing>();
  for (const echo of echoes) {
    const key = balanceKeyOf(echo);
    const assetAddress = addresses.get(echo.assetId);
    const beside = besideOf(echo, matched);
    const known = byBalance.get(key);
    if (known !== undefined) known.echoes.push(echo);
    else if (assetAddress !== undefined && beside.length > 0)
      byBalance.set(key, {
        walletAddress: walletOf(echo),
        assetAddress,
        matched: beside,
        echoes: [echo],
      });
  }
  return [...byBalance.values()];
}

/** Sorts movements of a block by execution. */
function inOrder(movements: readonly MatchedTransaction[]): MatchedTransaction[] {
  return movements.toSorted((one, other) => one.ordinal - other.ordinal);
}

function sumOf(moved: readonly MatchedTransaction[]): bigint {
  return sumsOf(moved.map(signedOf)).sumAtomic;
}

/** The movements of the same wallet and asset. */
function besideOf(
  { walletId, assetId }: MatchedTransaction,
  matched: readonly MatchedTransaction[],
): MatchedTransaction[] {
  return matched.filter((one) => one.walletId === walletId && one.assetId === assetId);
}
