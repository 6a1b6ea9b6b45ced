import type { Hash } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import { lockChain } from "../chain/chain-state.ts";
import type { Tx } from "../postgres/transaction.ts";
import { keepRewound } from "./rewound-blocks.ts";
import { undoAbove } from "./undo-blocks.ts";

type Rewind = { chainName: string; toNumber: bigint };

export type RewindOutcome = { from: bigint; to: bigint };

/**
 * Takes a chain back to a block below its position. The blocks above it are read again, as after a
 * reorg that changed nothing (docs/invariants.md#i3). A transaction that is found again stays as it
 * was, without a notification. A transaction that is not found becomes dropped or reversed. If the
 * chain has other blocks by now, it is as after a reorg from the first of them on. Safe to repeat.
 * @throws Fault `chain_not_found`; `invalid_request` if the block is not below the position, or a
 *   hash from there on is no longer stored
 */
export async function rewindChain(tx: Tx, { chainName, toNumber }: Rewind): Promise<RewindOutcome> {
  const { position } = await lockChain(tx, chainName);
  const target = await tx.block.findUnique({
    where: { chainName_number: { chainName, number: toNumber } },
  });
  const oldest = await readOldest(tx, chainName);
  if (position === null || oldest === null) {
    throw new Fault("invalid_request", `Chain '${chainName}' has not started.`);
  }
  if (target === null || toNumber < oldest || toNumber >= position.number) {
    throw new Fault(
      "invalid_request",
      `Chain '${chainName}' can go back to blocks ${oldest} to ${position.number - 1n}, not to ${toNumber}.`,
    );
  }
  const ancestor = { number: toNumber, hash: target.hash as Hash };
  await keepRewound(tx, chainName, toNumber);
  await undoAbove(tx, { chainName, ancestor });
  return { from: position.number, to: toNumber };
}

/**
 * Reads the lowest block from which on every block up to the position is stored. A lower one may be
 * stored alone, because an opening balance is to be read in it. Null: nothing is stored.
 */
async function readOldest(tx: Tx, chainName: string): Promise<bigint | null> {
  const [row] = await tx.$queryRaw<{ number: bigint | null }[]>`
    SELECT max(number) AS number FROM block k WHERE chain_name = ${chainName} AND NOT EXISTS (
      SELECT FROM block below WHERE below.chain_name = k.chain_name AND below.number = k.number - 1)`;
  return row?.number ?? null;
}
