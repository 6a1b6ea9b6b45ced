import type { Keccak } from "../../../src/chain/proof/hashing/keccak.ts";
import { zeroAddress } from "../../../src/domain/chain/address.ts";
import { type AssetAddress, nativeAddress } from "../../../src/domain/money/movement.ts";
import type { Random } from "../random.ts";
import {
  contract,
  customers,
  holdingKey,
  strangers,
  tokens,
  unknownToken,
  whale,
} from "./addresses.ts";
import { sign } from "./fake-block.ts";
import type { FakeTransaction, Payment } from "./fake-transaction.ts";

/** What customers hold before anything is watched: some nothing, some a little. */
export function genesisBalances(random: Random): Map<string, bigint> {
  const balances = new Map([[holdingKey(whale, nativeAddress), 10n ** 40n]]);
  for (const customer of customers) {
    for (const asset of [nativeAddress, ...tokens]) {
      if (random.chance(0.5)) balances.set(holdingKey(customer, asset), amount(random));
    }
    balances.set(holdingKey(customer, nativeAddress), BigInt(random.int(0, 3) * 100_000));
  }
  return balances;
}

/**
 * A transaction as a chain sees them: most of them touch a customer, many in a way that is easy to
 * get wrong. `isTopOnly`: what it pays of the coin is its own value alone, as no trace shows
 * anything else.
 */
export function makeTransaction(
  random: Random,
  keccak: Keccak,
  { isTopOnly } = { isTopOnly: false },
): FakeTransaction {
  const kind = random.weighted({
    deposit: 8,
    tokenDeposit: 8,
    withdrawal: 5,
    tokenWithdrawal: 5,
    internal: 4,
    betweenCustomers: 4,
    toItself: 2,
    equalTransfers: 3,
    batch: 3,
    spoofed: 1,
    unknownAsset: 1,
    failing: 2,
    failingPayment: 2,
    onlyGas: 1,
  });
  const payments = paymentsOf(kind, random);
  const [first, ...others] = payments;
  const isCustomers = ["withdrawal", "tokenWithdrawal", "betweenCustomers", "toItself"];
  const isOwn = isCustomers.includes(kind) && first !== undefined && first.from !== zeroAddress;
  const isPoor = kind === "onlyGas" || kind === "failing";
  const isFailing = kind === "failing" || kind === "failingPayment";
  const from = isPoor ? random.pick(customers) : isOwn ? first.from : whale;
  // The first payment is the transaction's own value where its sender makes it; the others are made
  // by what it calls.
  const isOwnCoin = first?.asset === nativeAddress && first.from === from;
  const isTop = isOwnCoin && (isTopOnly || (kind !== "internal" && random.chance(0.8)));
  const made = isTop ? others : payments;
  return sign(keccak, {
    salt: random.hash(),
    from,
    gas: BigInt(random.int(0, 40)),
    blobs: random.chance(0.05) ? random.int(1, 2) : 0,
    ...(isTop ? { to: first.to, value: first.amountAtomic } : { to: contract, value: 0n }),
    payments: isTopOnly ? made.map((one) => ({ ...one, asset: ofToken(one.asset) })) : made,
    isAllOrNothing: isFailing || random.chance(0.4),
    isNoisy: random.chance(0.3),
  });
}

function ofToken(asset: AssetAddress): AssetAddress {
  return asset === nativeAddress ? unknownToken : asset;
}

function paymentsOf(kind: string, random: Random): Payment[] {
  const customer = random.pick(customers);
  const other = random.pick([...customers, ...strangers]);
  const token = random.pick(tokens);
  const asset: AssetAddress = random.pick([nativeAddress, ...tokens]);
  const source = (of: AssetAddress) => (of === nativeAddress ? whale : zeroAddress);
  const pay = (payment: Partial<Payment>): Payment => ({
    asset: nativeAddress,
    from: whale,
    to: customer,
    amountAtomic: amount(random),
    ...payment,
  });
  switch (kind) {
    case "deposit":
      return [pay({})];
    case "tokenDeposit":
      return [pay({ asset: token, from: zeroAddress })];
    case "withdrawal":
      return [pay({ from: customer, to: random.pick(strangers) })];
    case "tokenWithdrawal":
      return [pay({ asset: token, from: customer, to: random.pick(strangers) })];
    case "internal":
      return [pay({}), pay({ to: random.pick(customers) })];
    case "betweenCustomers":
      return [pay({ asset, from: customer, to: random.pick(customers) })];
    case "toItself":
      return [pay({ asset, from: customer, to: customer })];
    case "equalTransfers": {
      const payment = pay({ asset, from: random.pick([source(asset), customer]), to: other });
      return Array.from({ length: random.int(2, 3) }, () => payment);
    }
    case "batch":
      return Array.from({ length: random.int(2, 5) }, () => {
        const each: AssetAddress = random.pick([nativeAddress, ...tokens]);
        const from = random.pick([source(each), customer]);
        return pay({ asset: each, from, to: random.pick([...customers, ...strangers]) });
      });
    case "spoofed":
      return [pay({ asset, from: customer, to: other, amountAtomic: 0n })];
    case "unknownAsset":
      return [pay({ asset: unknownToken, from: zeroAddress })];
    case "failing":
      return [
        pay({ asset: token, from: zeroAddress }),
        pay({ from: other, amountAtomic: 2n ** 200n }),
      ];
    case "failingPayment":
      return [pay({}), pay({ from: other, amountAtomic: 2n ** 200n })];
    default:
      return [];
  }
}

/** Small ones, so that many are equal; and now and then nearly all that a uint256 holds. */
function amount(random: Random): bigint {
  if (random.chance(0.04)) return 2n ** BigInt(random.int(100, 255)) - 1n;
  return BigInt(random.pick([1, 2, 3, 5, 8, 13, 100, 1000, 12_345]));
}
