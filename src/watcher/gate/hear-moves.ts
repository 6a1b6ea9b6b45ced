import type { Address } from "../../domain/chain/address.ts";
import { type LoadedBlock, type Movement, nativeAddress } from "../../domain/money/movement.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";

/**
 * One block as its hosts show it, the first reading first. `isOpen`: some other host did not answer. `needed`: as many have to
 * show the same.
 */
export type Heard = {
  readings: readonly [LoadedBlock, ...LoadedBlock[]];
  isOpen: boolean;
  needed: number;
};

/**
 * What hosts show of the coin that a wallet moves in a block. `agreed`: as many as it takes show the same, or all that can, at least
 * two; `block` has it. `alone`: there is
 * nobody else who could. `silent`: others do not answer. `disputed`: another one shows the same amounts with another party.
 * `other_amounts`: those that answer show other amounts, which the balances can tell from these.
 */
export type MovesWord =
  | { kind: "agreed"; block: LoadedBlock }
  | { kind: "alone" | "silent" | "disputed" | "other_amounts" };

/**
 * Asks other hosts for a block that has been read, one after the other, until as many as it takes show the same of each of these wallets.
 * Where every part of the block is covered by its hash, or the chain has one host, nobody is asked.
 */
export async function hearMoves(
  chain: Pick<ChainSource, "readElsewhere" | "hostsNeeded">,
  block: LoadedBlock,
  wallets: readonly Address[],
): Promise<Heard> {
  const needed = chain.hostsNeeded();
  let heard: Heard = { readings: [block], isOpen: false, needed };
  if (block.evidence.traces !== "answered") return heard;
  for await (const other of chain.readElsewhere(block)) {
    heard =
      other === null
        ? { ...heard, isOpen: true }
        : { ...heard, readings: [...heard.readings, other] };
    if (wallets.every((wallet) => mostAlike(heard, wallet).count >= needed)) break;
  }
  return heard;
}

export function wordOf(heard: Heard, wallet: Address): MovesWord {
  const { readings, isOpen, needed } = heard;
  const [first, ...others] = readings;
  if (first.evidence.traces !== "answered") return { kind: "agreed", block: first };
  if (others.length === 0) return { kind: isOpen ? "silent" : "alone" };
  const { block, count } = mostAlike(heard, wallet);
  const isWhole = count === readings.length;
  if (count >= needed || (isWhole && !isOpen)) return { kind: "agreed", block };
  if (isWhole) return { kind: "silent" };
  const sum = sumOf(first, wallet);
  const isDisputed = others.some((block) => sumOf(block, wallet) === sum);
  return { kind: isDisputed ? "disputed" : "other_amounts" };
}

/** The first of those that show the same, and how many they are: the most that do. */
function mostAlike({ readings }: Heard, wallet: Address): { block: LoadedBlock; count: number } {
  const shown = readings.map((block) => ({ block, moves: movesOf(block, wallet) }));
  return shown
    .map(({ block, moves }) => ({
      block,
      count: shown.filter((one) => one.moves === moves).length,
    }))
    .reduce((most, one) => (one.count > most.count ? one : most));
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
