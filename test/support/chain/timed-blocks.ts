import type { Anvil } from "./anvil.ts";
import { payer } from "./cast.ts";
import type { WatchedChain } from "./watched-chain.ts";

type Timed = { anvil: Anvil; watched: WatchedChain };

/** Does something in a block of that time, and has the block processed. */
export async function inBlockAt(
  { anvil, watched }: Timed,
  time: string,
  act: (anvil: Anvil) => Promise<unknown>,
): Promise<void> {
  await anvil.setNextBlockTimestamp(Date.parse(time) / 1000);
  await act(anvil);
  await watched.catchUp();
}

/** A block of that time. */
export const mineAt = (chain: Timed, time: string) =>
  inBlockAt(chain, time, (anvil) => anvil.mine(1));

/** A deposit in a block of its own. */
export const depositAt = (
  chain: Timed,
  time: string,
  { to, amountAtomic }: { to: string; amountAtomic: bigint },
) => inBlockAt(chain, time, (anvil) => anvil.sendNative({ from: payer, to, amountAtomic }));
