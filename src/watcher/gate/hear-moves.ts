import type { Address } from "../../domain/chain/address.ts";
import { type LoadedBlock, type Movement, nativeAddress } from "../../domain/money/movement.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";

/** One block as its hosts show it, the first reading first. `isOpen`: some other host did not answer. */
export type Heard = { readings: readonly [LoadedBlock, ...LoadedBlock[]]; isOpen: boolean };

/**
 * What hosts show of the coin that a wallet moves in a block. `agreed`: two show the same, which `block` has. `alone`: there is
 * nobody else who could. `silent`: others do not answer. `disputed`: another one shows the same amounts with another party.
 * `other_amounts`: those that answer show other amounts, which the balances can tell from these.
 */
export type MovesWord =
  | { kind: "agreed"; block: LoadedBlock }
  | { kind: "alone" | "silent" | "disputed" | "other_amounts" };

/**
 * Asks other hosts for a block that has been read, one after the other, until two show the same of each of these wallets.
 * Where every part of the block is covered by its hash, or the chain has one host, nobody is asked.
 */
export async function hearMoves(
  chain: Pick<ChainSource, "readElsewhere">,
  block: LoadedBlock,
  wallets: readonly Address[],
): Promise<Heard> {
  let heard: Heard = { readings: [block], isOpen: false };
  if (block.evidence.traces !== "answered") return heard;
  for await (const other of chain.readElsewhere(block)) {
    const { readings, isOpen } = heard;
    heard =
      other === null ? { readings, isOpen: true } : { readings: [...readings, other], isOpen };
    if (wallets.every((wallet) => wordOf(heard, wallet).kind === "agreed")) break;
  }
  return heard;
}

export function wordOf({ readings, isOpen }: Heard, wallet: Address): MovesWord {
  const [first, ...others] = readings;
  if (first.evidence.traces !== "answered") return { kind: "agreed", block: first };
  const shown = readings.map((block) => ({ block, moves: movesOf(block, wallet) }));
  for (const [index, { block, moves }] of shown.entries())
    if (shown.slice(index + 1).some((later) => later.moves === moves))
      return { kind: "agreed", block };
  if (others.length === 0) return { kind: isOpen ? "silent" : "alone" };
  const sum = sumOf(first, wallet);
  const isDisputed = others.some((block) => sumOf(block, wallet) === sum);
  return { kind: isDisputed ? "disputed" : "other_amounts" };
}

/**
 * As text, in order of execution. Not where in its call tree a transfer is: clients count calls of precompiled contracts
 * differently.
 */
function movesOf(block: LoadedBlock, wallet: Address): string {
  return coinOf(block, wallet)
    .map(({ kind, txHash, from, to, amountAtomic }) => [kind, txHash, from, to, amountAtomic])
    .join(";");
}

function sumOf(block: LoadedBlock, wallet: Address): bigint {
  return coinOf(block, wallet).reduce((sum, { from, to, amountAtomic }) => {
    const received = to === wallet ? amountAtomic : 0n;
    return sum + received - (from === wallet ? amountAtomic : 0n);
  }, 0n);
}

/** What moves the coin without a log. */
function coinOf({ movements }: LoadedBlock, wallet: Address): Movement[] {
  return movements.filter(
    ({ asset, logIndex, amountAtomic, from, to }) =>
      asset === nativeAddress &&
      logIndex === null &&
      amountAtomic > 0n &&
      (from === wallet || to === wallet),
  );
}
