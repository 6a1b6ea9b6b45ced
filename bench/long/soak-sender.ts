import { setTimeout as sleep } from "node:timers/promises";
import { formatUnits } from "viem/utils";
import { ANVIL_ACCOUNTS } from "../../test/support/chain/anvil.ts";
import type { SoakPayments } from "./soak-outcome.ts";

/** Sends coins and tokens in turn to the wallets, each of an amount of its own. */
export async function createSender(payments: SoakPayments) {
  const { anvil, wallets, nextMint } = payments;
  const payer = ANVIL_ACCOUNTS[1];
  const firstNonce = Number(await anvil.rpc<string>("eth_getTransactionCount", payer, "latest"));
  const coins = { sent: 0 };
  /** By transaction: the amount as a notification shows it. */
  const sent = new Map<string, string>();

  /** The nonce is named: many are sent at once. */
  const nextCoins = () => {
    const at = coins.sent;
    coins.sent += 1;
    const [to, amountAtomic] = [wallets[at % wallets.length], BigInt(at + 1)];
    const hex = (value: bigint | number) => `0x${value.toString(16)}`;
    const transaction = { from: payer, to, value: hex(amountAtomic), nonce: hex(firstNonce + at) };
    const call = { method: "eth_sendTransaction", params: [transaction] };
    return { call, amount: formatUnits(amountAtomic, 18) };
  };
  const nextTokens = () => {
    const { call, amountAtomic } = nextMint();
    return { call, amount: formatUnits(amountAtomic, payments.token.asset.decimals) };
  };

  return {
    sent,
    /** A second's transfers together, until the time is over. */
    async send({ perSecond, forMs }: { perSecond: number; forMs: number }): Promise<void> {
      const beganAtMs = performance.now();
      for (let second = 0; second * 1_000 < forMs; second += 1) {
        const transfers = Array.from({ length: perSecond }, (_, at) =>
          at % 2 === 0 ? nextCoins() : nextTokens(),
        );
        const hashes = await anvil.batch<string>(transfers.map(({ call }) => call));
        for (const [at, hash] of hashes.entries()) sent.set(hash, transfers[at]?.amount ?? "");
        const leftMs = beganAtMs + (second + 1) * 1_000 - performance.now();
        if (leftMs > 0) await sleep(leftMs);
      }
    },
  };
}
