import { type Address, zeroAddress } from "../../../src/domain/chain/address.ts";
import type { Hash } from "../../../src/domain/chain/block.ts";
import { type AssetAddress, nativeAddress } from "../../../src/domain/money/movement.ts";
import { holdingKey } from "./addresses.ts";

/**
 * One transfer that a transaction tries to make while it runs: a token's, or the coin's by an
 * internal call.
 */
export type Payment = { asset: AssetAddress; from: Address; to: Address; amountAtomic: bigint };

/** A signed transaction: what it does depends on the state it is executed on, as on any chain. */
export type FakeTransaction = {
  hash: Hash;
  /** As JSON-RPC answers it, without the block it is in. */
  raw: Readonly<Record<string, unknown>>;
  /** Signs, pays the fee, and sends `value`. */
  from: Address;
  to: Address;
  value: bigint;
  gas: bigint;
  /** How many blobs it brings (EIP-4844), and pays for. */
  blobs: number;
  payments: Payment[];
  /** A payment that cannot be made fails the transaction (its fee stays); else it is left out. */
  isAllOrNothing: boolean;
  /** Its trace also has frames that move nothing, and its logs some that are no money. */
  isNoisy: boolean;
};

/** What became of a transaction in a block. */
export type Executed = {
  transaction: FakeTransaction;
  isSuccess: boolean;
  /** Made by internal calls, in order; also of a failed one, where they count for nothing. */
  internal: Payment[];
  /**
   * What was moved of the coin and is logged (EIP-7708), in order; the first one's index in the
   * block is `firstLog`.
   */
  coinLogged: Payment[];
  firstLog: number;
  /** Of tokens, in order, after those. */
  logged: Payment[];
  /** After those it has logs that look like money and are none: see `noiseOf`. */
  hasNoise: boolean;
};

export type Balances = ReadonlyMap<string, bigint>;

type State = {
  balances: Map<string, bigint>;
  gasPrice: bigint;
  nextLog: number;
  /** Whether moves of the coin are logged. */
  logsCoin: boolean;
};

/** EIP-4844; the price of a unit of blob gas is always the same here. */
const gasPerBlob = 131_072n;
export const blobGasPrice = 1n;

export function blobGasOf({ blobs }: Pick<FakeTransaction, "blobs">): bigint {
  return gasPerBlob * BigInt(blobs);
}

/** All that a transaction pays, whether it succeeds or not. */
export function feeOf(
  transaction: Pick<FakeTransaction, "gas" | "blobs">,
  gasPrice: bigint,
): bigint {
  return transaction.gas * gasPrice + blobGasOf(transaction) * blobGasPrice;
}

/** EIP-7708: nothing, and nothing to oneself, is not logged. */
function isLogged({ from, to, amountAtomic }: Payment): boolean {
  return amountAtomic > 0n && from !== to;
}

/** How many logs that are no money a noisy transaction has. */
const noisyLogs = 2;

/**
 * What the transaction does on this state, or null where its sender cannot pay for it: then it
 * cannot be included.
 */
export function execute(transaction: FakeTransaction, state: State): Executed | null {
  const { from, to, value, payments, isAllOrNothing } = transaction;
  const { balances } = state;
  const fee = feeOf(transaction, state.gasPrice);
  const held = balances.get(holdingKey(from, nativeAddress)) ?? 0n;
  if (held < fee + value) return null;
  move(balances, { asset: nativeAddress, from, to: null, amountAtomic: fee });
  const paid = new Map(balances);
  move(balances, { asset: nativeAddress, from, to, amountAtomic: value });
  const made: Payment[] = [];
  let isSuccess = true;
  for (const payment of payments) {
    if (move(balances, payment)) made.push(payment);
    else if (isAllOrNothing) isSuccess = false;
  }
  const internal = made.filter((payment) => payment.asset === nativeAddress);
  const logged = isSuccess ? made.filter((payment) => payment.asset !== nativeAddress) : [];
  const firstLog = state.nextLog;
  const hasNoise = isSuccess && transaction.isNoisy;
  const top: Payment = { asset: nativeAddress, from, to, amountAtomic: value };
  const coinLogged = state.logsCoin && isSuccess ? [top, ...internal].filter(isLogged) : [];
  state.nextLog += coinLogged.length + logged.length + (hasNoise ? noisyLogs : 0);
  if (!isSuccess) {
    balances.clear();
    for (const [key, amount] of paid) balances.set(key, amount);
  }
  return { transaction, isSuccess, internal, coinLogged, logged, firstLog, hasNoise };
}

/** What a token's balance and an argument hold at most. */
const maxUint256 = 2n ** 256n - 1n;

/**
 * False, and nothing is moved, where the sender has too little or the receiver would have too much.
 * Tokens are minted from the zero address.
 */
export function move(
  balances: Map<string, bigint>,
  payment: { asset: AssetAddress; from: Address; to: Address | null; amountAtomic: bigint },
): boolean {
  const { asset, from, to, amountAtomic } = payment;
  const received = to === null ? 0n : (balances.get(holdingKey(to, asset)) ?? 0n);
  if (received + amountAtomic > maxUint256) return false;
  if (from !== zeroAddress) {
    const key = holdingKey(from, asset);
    const held = balances.get(key) ?? 0n;
    if (held < amountAtomic) return false;
    balances.set(key, held - amountAtomic);
  }
  if (to !== null) {
    const key = holdingKey(to, asset);
    balances.set(key, (balances.get(key) ?? 0n) + amountAtomic);
  }
  return true;
}
