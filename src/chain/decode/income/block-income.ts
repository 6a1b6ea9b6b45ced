import { type Address, zeroAddress } from "../../../domain/chain/address.ts";
import type { ChainProfile } from "../../../domain/chain/profile.ts";
import { type Movement, noTransaction } from "../../../domain/money/movement.ts";
import type { RpcBlock, RpcReceipt } from "../../rpc/rpc-block.ts";
import { atomicMoves } from "./avalanche-atomic.ts";
import { income } from "./movement-makers.ts";

/** Coin that a block itself gave to an account. trace_block calls it a reward. */
export type Reward = { to: Address; amountAtomic: bigint };

type PaidBlock = { block: RpcBlock; receipts: readonly RpcReceipt[]; rewards: readonly Reward[] };

/**
 * The payments of the block itself: beacon withdrawals, rewards, atomic imports, and the priority
 * fees of its fee recipient.
 */
export function blockIncome(
  answered: PaidBlock,
  profile: Pick<ChainProfile, "paysFeeRecipient" | "withdrawals" | "atomicCoin">,
): Movement[] {
  const { block } = answered;
  // If a contract pays withdrawals in a token, its logs show them.
  const withdrawn = profile.withdrawals === "native" ? block.withdrawals : [];
  return [
    ...withdrawn.map(({ index, address: to, amountAtomic }) =>
      income(noTransaction, { to, amountAtomic }, { kind: "withdrawal", index }),
    ),
    ...rewarded(answered),
    ...(profile.atomicCoin === null ? [] : atomicMoves(block, profile.atomicCoin)),
    ...(profile.paysFeeRecipient ? priorityFees(answered) : []),
  ];
}

function rewarded({ block, rewards }: PaidBlock): Movement[] {
  const made = new Map<Address, bigint>();
  for (const { to, amountAtomic } of rewards) made.set(to, (made.get(to) ?? 0n) + amountAtomic);
  const source = { kind: "reward", blockHash: block.hash } as const;
  return [...made]
    .filter(([, amountAtomic]) => amountAtomic > 0n)
    .map(([to, amountAtomic]) =>
      income(noTransaction, { to, amountAtomic, tracePath: "block" }, source),
    );
}

function priorityFees({ block, receipts }: PaidBlock): Movement[] {
  if (block.miner === zeroAddress) return [];
  let amountAtomic = 0n;
  for (const { effectiveGasPrice, gasUsed } of receipts) {
    // A price below the base fee means a transaction without fees, such as a deposit of the OP
    // stack.
    if (effectiveGasPrice > block.baseFee)
      amountAtomic += (effectiveGasPrice - block.baseFee) * gasUsed;
  }
  if (amountAtomic === 0n) return [];
  const source = { kind: "fees", blockHash: block.hash } as const;
  return [income(noTransaction, { to: block.miner, amountAtomic }, source)];
}
