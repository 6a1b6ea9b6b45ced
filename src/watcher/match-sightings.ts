import type { Address } from "../domain/chain/address.ts";
import type { Hash } from "../domain/chain/block.ts";
import type { MatchedBlock } from "../domain/money/matched-transaction.ts";
import { type LoadedBlock, nativeAddress, proofOf } from "../domain/money/movement.ts";
import {
  type MatchedSighting,
  mostSightingsOfBlock,
  mostSightingsOfDay,
} from "../domain/money/sighting.ts";
import { transactionIdentity } from "../domain/money/transaction-identity.ts";
import type { Watchlist } from "../domain/watch/watchlist.ts";
import { placeOfSide } from "./match-movements.ts";

/**
 * Finds the transfers of tokens that are not configured to watched wallets in a block, in order of
 * execution. Limited for each wallet, and for the block. Left out are:
 * - transfers at or below the block in which the wallet began to be watched,
 * - transfers of zero amount,
 * - wrappings, and contracts with several tokens (ERC-721, ERC-1155), whose logs have another form.
 */
export function matchSightings(
  chainName: string,
  block: LoadedBlock,
  list: Watchlist,
): MatchedSighting[] {
  const { number } = block.header;
  const found: MatchedSighting[] = [];
  const ofWallet = new Map<string, number>();
  const seen = new Map<string, number>();
  for (const [ordinal, movement] of block.movements.entries()) {
    const { kind, asset: contract, logIndex, amountAtomic, txHash, from, to } = movement;
    if (kind !== "transfer" || contract === nativeAddress || logIndex === null) continue;
    if (amountAtomic === 0n || isConfigured(list, contract, number)) continue;
    const wallet = list.wallets.get(to);
    if (wallet === undefined || wallet.since >= number) continue;
    const kept = ofWallet.get(wallet.id) ?? 0;
    if (kept === mostSightingsOfDay) continue;
    ofWallet.set(wallet.id, kept + 1);
    const named = { chainName, walletId: wallet.id, direction: "in", movement } as const;
    const tuple = transactionIdentity({ ...named, n: 0 });
    const n = seen.get(tuple) ?? 0;
    seen.set(tuple, n + 1);
    found.push({
      identity: n === 0 ? tuple : transactionIdentity({ ...named, n }),
      businessId: wallet.businessId,
      walletId: wallet.id,
      contract,
      fromAddress: from,
      toAddress: to,
      amountAtomic,
      txHash,
      logIndex,
      ordinal: placeOfSide(ordinal, "in"),
      proof: proofOf(block.evidence, movement),
    });
    if (found.length === mostSightingsOfBlock) break;
  }
  return found;
}

/** True if movements of the token in that block are transactions. */
function isConfigured({ assets }: Watchlist, contract: Address, number: bigint): boolean {
  const asset = assets.get(contract);
  return asset !== undefined && asset.since < number;
}

/** The sightings of each block that has any, by its hash. */
export type Sighted = ReadonlyMap<Hash, readonly MatchedSighting[]>;

/** See matchSightings. */
export function sightBlocks(
  chainName: string,
  blocks: readonly LoadedBlock[],
  list: Watchlist,
): Sighted {
  const sighted = new Map<Hash, readonly MatchedSighting[]>();
  for (const block of blocks) {
    const sightings = matchSightings(chainName, block, list);
    if (sightings.length > 0) sighted.set(block.header.hash, sightings);
  }
  return sighted;
}

/** Adds sightings to the matched blocks, and adds the blocks that have only sightings. */
export function withSightings(
  matched: readonly MatchedBlock[],
  blocks: readonly LoadedBlock[],
  sighted: Sighted,
): MatchedBlock[] {
  if (sighted.size === 0) return [...matched];
  const byHash = new Map(matched.map((one) => [one.header.hash, one]));
  return blocks.flatMap(({ header }) => {
    const one = byHash.get(header.hash);
    const sightings = sighted.get(header.hash);
    if (sightings === undefined) return one === undefined ? [] : [one];
    return [{ ...(one ?? { header, matched: [] }), sightings }];
  });
}
