import type { Hash } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import { lockChain } from "../chain/chain-state.ts";
import type { Tx } from "../postgres/transaction.ts";
import { undoAbove } from "./undo-blocks.ts";

type Rewind = { chainName: string; toNumber: bigint };

export type RewindOutcome = { from: bigint; to: bigint };

/**
 * Takes a chain back to a block whose hash is still stored. The blocks above it are read again, as
 * after a reorg that changed nothing (docs/invariants.md#i3). A transaction that is found again
 * stays as it was, without a notification. A transaction that is not found becomes dropped or
 * reversed. Safe to repeat.
 * @throws Fault `chain_not_found`; `invalid_request` if the block is not below the position or its
 *   hash is no longer stored
 */
export async function rewindChain(tx: Tx, { chainName, toNumber }: Rewind): Promise<RewindOutcome> {
  const { position, settleNumber } = await lockChain(tx, chainName);
  const oldest = await tx.block.findFirst({ where: { chainName }, orderBy: { number: "asc" } });
  const target = await tx.block.findUnique({
    where: { chainName_number: { chainName, number: toNumber } },
  });
  if (position === null || oldest === null) {
    throw new Fault("invalid_request", `Chain '${chainName}' has not started.`);
  }
  if (target === null || toNumber >= position.number) {
    throw new Fault(
      "invalid_request",
      `Chain '${chainName}' can go back to blocks ${oldest.number} to ${position.number - 1n}, not to ${toNumber}.`,
    );
  }
  const settle =
    settleNumber !== null && settleNumber > position.number ? settleNumber : position.number;
  const ancestor = { number: toNumber, hash: target.hash as Hash };
  await undoAbove(tx, { chainName, ancestor, settleNumber: settle });
  return { from: position.number, to: toNumber };
}
