import type { BalanceProof } from "../../domain/chain/block-proof.ts";
import type { Difference } from "../../domain/money/reconciliation.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { CorrectingLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Logger } from "../../runtime/logger.ts";
import { orNone, unlessGone } from "../gate/ask-again.ts";
import type { OldBlocks } from "../gate/old-blocks.ts";
import { isProved } from "../gate/shown.ts";

export type OpeningPorts = {
  chain: Pick<ChainSource, "header" | "balancesAt">;
  ledger: Pick<CorrectingLedger, "readOpening" | "correctOpening">;
  oldBlocks: OldBlocks;
  log: Logger;
};

/**
 * Corrects the opening balance, if that alone explains a difference. At the block at which watching
 * began, the balance must differ by exactly this amount. The state root or more than one endpoint
 * must show that. The block must be shown to belong to the chain. Safe to repeat.
 * @returns whether it was corrected
 */
export async function correctOpening(
  ports: OpeningPorts,
  chainName: string,
  difference: Difference,
): Promise<boolean> {
  const { balance, chainAtomic, ledgerAtomic } = difference;
  const opening = await ports.ledger.readOpening(balance);
  if (opening === null) return false;
  const at = await orNone(ports.chain.header(opening.atNumber));
  if (at === null || !(await ports.oldBlocks.isOfChain(at))) return false;
  const shown = await readShown(ports.chain, at.hash, balance);
  if (shown === null) return false;
  const { toAtomic } = shown;
  const fromAtomic = opening.amountAtomic;
  if (toAtomic - fromAtomic !== chainAtomic - ledgerAtomic) return false;
  const { walletId, assetId } = balance;
  const correction = { walletId, assetId, at, fromAtomic, ...shown };
  const outcome = await ports.ledger.correctOpening(chainName, correction);
  if (outcome === "moved") return false;
  const fields = { chain: chainName, walletId, assetId, block: at.number, fromAtomic, toAtomic };
  ports.log.warn(fields, "opening.corrected");
  return true;
}

/** Null: only one endpoint reports it, or none has that state any more. */
async function readShown(
  chain: OpeningPorts["chain"],
  ...[hash, balance]: [Difference["at"]["hash"], Difference["balance"]]
): Promise<{ toAtomic: bigint; proof: BalanceProof } | null> {
  const read = await unlessGone(chain.balancesAt(hash, [balance]));
  const [toAtomic] = read?.amounts ?? [];
  const [proof] = read?.proofs ?? [];
  if (read === null || toAtomic === undefined || proof === undefined) return null;
  return isProved(read, 0) && read.disputed.length === 0 ? { toAtomic, proof } : null;
}
