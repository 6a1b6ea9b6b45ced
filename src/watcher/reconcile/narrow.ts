import type { Correction, Difference, StoredBlock } from "../../domain/money/reconciliation.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { ReconcileLedger } from "../../domain/watch/watcher-ledger.ts";
import { orNone, unlessGone } from "../gate/ask-again.ts";
import type { OldBlocks } from "../gate/old-blocks.ts";
import { isShown } from "../gate/shown.ts";

export type NarrowPorts = {
  chain: Pick<ChainSource, "header" | "balancesAt" | "isAlone">;
  ledger: Pick<ReconcileLedger, "readConfirmedAt">;
  oldBlocks: OldBlocks;
};

/** The amounts of chain and ledger at a block. */
type Point = { at: StoredBlock; ledgerAtomic: bigint; chainAtomic: bigint };

const gap = ({ chainAtomic, ledgerAtomic }: Point) => chainAtomic - ledgerAtomic;

/**
 * Finds the blocks above `since` in which a difference arose, by binary search. Each block gives
 * one correction, the lowest first. If the state in the middle of a range is gone, one correction
 * covers that whole range.
 */
export async function narrow(
  ports: NarrowPorts,
  difference: Difference & { since: bigint },
): Promise<Correction[]> {
  const { balance, since } = difference;
  const low = await pointAt(ports, difference, since);
  const whole: Correction = { ...difference, type: "unattributed" };
  if (low === null) return [whole];
  const changes = await halve(ports, difference, { low, high: difference });
  let corrected = 0n;
  return changes.map(({ low: before, high }) => {
    // The corrections before this one have changed the ledger's balance by the time it is written.
    const ledgerAtomic = high.ledgerAtomic + corrected;
    corrected += gap(high) - gap(before);
    const chainAtomic = high.ledgerAtomic + corrected;
    return {
      balance,
      at: high.at,
      ledgerAtomic,
      chainAtomic,
      since: before.at.number,
      type: "unattributed",
      proof: difference.proof,
    };
  });
}

/**
 * True if the corrections add up to the whole difference. They do not if it arose at or below the
 * height where the search began.
 */
export function explainsAll(
  { ledgerAtomic, chainAtomic }: Pick<Difference, "ledgerAtomic" | "chainAtomic">,
  corrections: readonly Pick<Correction, "ledgerAtomic" | "chainAtomic">[],
): boolean {
  const corrected = corrections.reduce((sum, one) => sum + one.chainAtomic - one.ledgerAtomic, 0n);
  return corrected === chainAtomic - ledgerAtomic;
}

async function halve(
  ports: NarrowPorts,
  difference: Difference,
  range: { low: Point; high: Point },
): Promise<{ low: Point; high: Point }[]> {
  const { low, high } = range;
  if (gap(low) === gap(high)) return [];
  if (high.at.number - low.at.number <= 1n) return [range];
  const middle = await pointAt(ports, difference, (low.at.number + high.at.number) / 2n);
  if (middle === null) return [range];
  const below = await halve(ports, difference, { low, high: middle });
  return [...below, ...(await halve(ports, difference, { low: middle, high }))];
}

/** Null: no endpoint has that state any more, or its block is not shown to belong to the chain. */
async function pointAt(
  { chain, ledger, oldBlocks }: NarrowPorts,
  { balance }: Difference,
  number: bigint,
): Promise<Point | null> {
  const header = await orNone(chain.header(number));
  if (header === null) return null;
  const { hash, timeMs } = header;
  if (!(await oldBlocks.isOfChain({ number, hash }))) return null;
  const read = await unlessGone(chain.balancesAt(hash, [balance]));
  if (read === null || !isShown(chain, read, 0)) return null;
  const [chainAtomic = 0n] = read.amounts;
  const ledgerAtomic = await ledger.readConfirmedAt(balance, number);
  return { at: { number, hash, timeMs }, ledgerAtomic, chainAtomic };
}
