import type { Position } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { DueOpening, ReadOpening } from "../../domain/watch/opening.ts";
import type { BalanceLedger } from "../../domain/watch/watcher-ledger.ts";
import { isShown, unlessGone } from "../gate/shown.ts";
import type { WitnessGate } from "../gate/witness-gate.ts";

type Chain = Pick<ChainSource, "balancesAt" | "isAlone">;

type Gate = Pick<WitnessGate, "hasWaited" | "dispute" | "release">;

type Ledger = Pick<BalanceLedger, "readPosition" | "readDueOpenings" | "recordOpenings">;

/** Balances read in one step: a few batches of requests, and a transaction of some milliseconds. */
const openingsPerStep = 500;

/**
 * One bounded step (docs/invariants.md#i9): reads the balances that newly watched wallets had when
 * watching began, at that block's hash. Where that state is gone they are read at the position, and
 * the ledger subtracts the entries between.
 * @returns how many were due and how many recorded. Safe to repeat.
 */
export async function readOpenings(
  ports: { chain: Chain; gate: Gate; ledger: Ledger },
  chainName: string,
): Promise<{ due: number; recorded: number }> {
  const due = await ports.ledger.readDueOpenings(chainName, openingsPerStep);
  let recorded = 0;
  for (const [number, group] of groupByHeight(due)) {
    const read = await readGroup(ports, chainName, { number, group });
    recorded += await ports.ledger.recordOpenings(chainName, read);
  }
  return { due: due.length, recorded };
}

function groupByHeight(due: DueOpening[]): Map<bigint, DueOpening[]> {
  const groups = new Map<bigint, DueOpening[]>();
  for (const opening of due)
    groups.set(opening.atNumber, [...(groups.get(opening.atNumber) ?? []), opening]);
  return groups;
}

async function readGroup(
  ports: { chain: Chain; gate: Gate; ledger: Ledger },
  chainName: string,
  due: { number: bigint; group: DueOpening[] },
): Promise<ReadOpening[]> {
  const { number, group } = due;
  const hash = group[0]?.atHash ?? null;
  const read = hash === null ? null : await unlessGone(readAt(ports, { number, hash }, group));
  if (read !== null) return read;
  const position = await ports.ledger.readPosition(chainName);
  // After a reorg to below the height it is no longer due.
  if (position === null || position.number < number) return [];
  return readAt(ports, position, group);
}

/**
 * None where one endpoint alone says what they are, beside others, and none of those that hosts
 * dispute: they are due again.
 */
async function readAt(
  { chain, gate }: { chain: Chain; gate: Gate },
  at: Position,
  group: DueOpening[],
): Promise<ReadOpening[]> {
  const read = await chain.balancesAt(at.hash, group);
  const { amounts, proof, disputed } = read;
  if (amounts.length !== group.length)
    throw new Fault("invariant_broken", "A balance is missing from the answer.");
  const areAllShown = group.every((_, place) => isShown(chain, read, place));
  const mayGoOn = proof !== "answered" || chain.isAlone() || gate.hasWaited("opening", at.number);
  if (areAllShown) gate.release("opening");
  if (disputed.length > 0) gate.dispute("opening", at.number);
  if (!mayGoOn) return [];
  return group.flatMap((opening, place) =>
    disputed.includes(place)
      ? []
      : [
          {
            ...opening,
            amountAtomic: amounts[place] ?? 0n,
            readNumber: at.number,
            readHash: at.hash,
            proof,
          },
        ],
  );
}
