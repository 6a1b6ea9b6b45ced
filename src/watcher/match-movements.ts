import type { Address } from "../domain/chain/address.ts";
import { countsMovement } from "../domain/money/asset.ts";
import type { MatchedTransaction } from "../domain/money/matched-transaction.ts";
import type { LoadedBlock, Movement } from "../domain/money/movement.ts";
import { proofOf } from "../domain/money/movement.ts";
import {
  type Direction,
  type TransactionType,
  typeOfTransfer,
} from "../domain/money/transaction.ts";
import { transactionIdentity } from "../domain/money/transaction-identity.ts";
import type { WatchedAsset, WatchedWallet, Watchlist } from "../domain/watch/watchlist.ts";

/**
 * Finds the movements of a block that concern a watched wallet, in order of execution. A movement
 * between two watched wallets, or from a wallet to itself, counts once for each side. A fee counts
 * only for its payer, and an income only for its receiver. Left out are:
 * - movements at or below the block in which a wallet or its asset began to be watched,
 * - movements of zero amount,
 * - assets that are not configured,
 * - wrapping of an asset that is not configured as one that wraps.
 */
export function matchMovements(
  chainName: string,
  block: LoadedBlock,
  list: Watchlist,
): MatchedTransaction[] {
  return matchAll(chainName, block, list).matched;
}

/**
 * Finds the echoes of a block's movements: wrappings that a Transfer reports too. They are no
 * transactions, unless the balances show two movements (see measureEchoes).
 */
export function matchEchoes(
  chainName: string,
  block: LoadedBlock,
  list: Watchlist,
): MatchedTransaction[] {
  if (block.movements.every(({ echoLogIndex }) => echoLogIndex === undefined)) return [];
  return matchAll(chainName, block, list).echoes;
}

/** Echoes are numbered behind equal movements, whose identities do not depend on them. */
function matchAll(
  chainName: string,
  block: LoadedBlock,
  list: Watchlist,
): { matched: MatchedTransaction[]; echoes: MatchedTransaction[] } {
  const matched: MatchedTransaction[] = [];
  const echoes: MatchedTransaction[] = [];
  const seen = new Map<string, number>();

  const add = (
    into: MatchedTransaction[],
    movement: Movement,
    ordinal: number,
    side: { wallet: WatchedWallet; asset: WatchedAsset; direction: Direction },
  ) => {
    const { wallet, asset, direction } = side;
    const tuple = transactionIdentity({
      chainName,
      walletId: wallet.id,
      direction,
      movement,
      n: 0,
    });
    const n = seen.get(tuple) ?? 0;
    seen.set(tuple, n + 1);
    into.push({
      identity:
        n === 0
          ? tuple
          : transactionIdentity({ chainName, walletId: wallet.id, direction, movement, n }),
      businessId: wallet.businessId,
      walletId: wallet.id,
      assetId: asset.id,
      type: typeOf(movement, { direction, wallet }),
      direction,
      amountAtomic: movement.amountAtomic,
      txHash: movement.txHash,
      fromAddress: movement.from,
      toAddress: movement.to,
      ordinal: placeOfSide(ordinal, direction),
      logIndex: movement.logIndex,
      tracePath: movement.tracePath,
      isUnproven: false,
      proof: proofOf(block.evidence, movement),
      memo: movement.tag?.memo ?? null,
      virtualAddress: movement.tag?.virtualAddress ?? null,
    });
  };

  const match = (into: MatchedTransaction[], movement: Movement, ordinal: number) => {
    if (movement.amountAtomic === 0n) return;
    const asset = list.assets.get(movement.asset);
    if (asset === undefined || asset.since >= block.header.number) return;
    if (!countsMovement(asset.kind, movement.kind)) return;
    const watched = (address: Address) => {
      const wallet = list.wallets.get(address);
      return wallet !== undefined && wallet.since < block.header.number ? wallet : undefined;
    };
    const sender = movement.kind === "income" ? undefined : watched(movement.from);
    if (sender !== undefined)
      add(into, movement, ordinal, { wallet: sender, asset, direction: "out" });
    const receiver = movement.kind === "fee" ? undefined : watched(movement.to);
    if (receiver !== undefined)
      add(into, movement, ordinal, { wallet: receiver, asset, direction: "in" });
  };
  for (const [ordinal, movement] of block.movements.entries()) match(matched, movement, ordinal);
  for (const [ordinal, movement] of block.movements.entries()) {
    const { echoLogIndex } = movement;
    if (echoLogIndex === undefined || movement.kind !== "transfer") continue;
    match(echoes, { ...movement, kind: "wrap", logIndex: echoLogIndex }, ordinal);
  }
  return { matched, echoes };
}

/**
 * The place of one side of a block's movement. Each movement has two places: the outgoing side
 * comes before the incoming one.
 */
export function placeOfSide(ordinal: number, direction: Direction): number {
  return ordinal * 2 + (direction === "out" ? 0 : 1);
}

function typeOf(
  movement: Movement,
  side: { direction: Direction; wallet: WatchedWallet },
): TransactionType {
  if (movement.kind === "fee" || movement.kind === "income") return movement.kind;
  return typeOfTransfer(side.direction, side.wallet.purpose);
}
