import { ANVIL_ACCOUNTS, type Anvil } from "./anvil.ts";
import type { TestToken } from "./token.ts";

/**
 * A chain of about `blocks` blocks, most of them empty, with every `every`th round of transfers in
 * a block of its own: coin and token into the wallets, out of `sender`, between two wallets, and of
 * strangers. `recorded`: transactions of all that are watched, where `sender` is too.
 */
export async function makeBusyChain(
  anvil: Anvil,
  token: TestToken,
  shape: { blocks: number; every: number; wallets: readonly string[]; sender: string },
): Promise<{ rounds: number; recorded: number }> {
  const { blocks, every, wallets, sender } = shape;
  const [payer, , , , , stranger, other] = ANVIL_ACCOUNTS;
  await token.mint(payer, 10n ** 12n);
  await token.mint(sender, 10n ** 12n);
  await anvil.setAutomine(false);
  const rounds = Math.floor(blocks / every);
  for (let round = 0; round < rounds; round += 1) {
    const wallet = wallets[round % wallets.length] ?? sender;
    const amountAtomic = BigInt(round + 1);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic });
    await token.send(payer, wallet, amountAtomic);
    if (round % 3 === 0) await token.send(sender, wallet, amountAtomic);
    if (round % 4 === 0) await anvil.sendNative({ from: sender, to: stranger, amountAtomic });
    if (round % 5 === 0) await anvil.sendNative({ from: stranger, to: other, amountAtomic });
    await anvil.mine(1);
    // A block of strangers alone, and a stretch of empty ones.
    await anvil.sendNative({ from: stranger, to: other, amountAtomic });
    await token.send(payer, other, amountAtomic);
    await anvil.mine(1);
    await anvil.mine(every - 2);
  }
  await anvil.setAutomine(true);
  const [sentToken, sentCoin] = [Math.ceil(rounds / 3), Math.ceil(rounds / 4)];
  // Coin and token in; a withdrawal, a deposit and a fee; a withdrawal and a fee; and what was
  // minted at first.
  return { rounds, recorded: 2 * rounds + 3 * sentToken + 2 * sentCoin + 1 };
}
