import { type Address, zeroAddress } from "../../src/domain/address.ts";
import { type AssetAddress, nativeAddress } from "../../src/domain/movement.ts";
import { type FakeTransaction, holdingKey, whale } from "./fake-chain.ts";
import type { Random } from "./random.ts";

type Payment = FakeTransaction["payments"][number];

function addressOf(kind: string, index: number): Address {
  return `0x${kind}${index.toString(16).padStart(40 - kind.length, "0")}`;
}

function addresses(kind: string, count: number): Address[] {
  return Array.from({ length: count }, (_, index) => addressOf(kind, index + 1));
}

/** Addresses that businesses may have watched, for some time or never. */
export const customers: readonly Address[] = addresses("a11ce", 10);
const strangers: readonly Address[] = addresses("b0b", 4);

/** Tokens that may be configured, and one that never is. */
export const tokens: readonly Address[] = addresses("70ce", 3);
const unknownToken: Address = addressOf("5ba3", 1);

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

/** A transaction as a chain sees them: most of them touch a customer, many in a way that is easy to get wrong. */
export function makeTransaction(random: Random): FakeTransaction {
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
    onlyGas: 1,
  });
  const payments = paymentsOf(kind, random);
  const isCustomers = ["withdrawal", "tokenWithdrawal", "betweenCustomers", "toItself", "onlyGas"];
  const first = payments[0]?.from ?? zeroAddress;
  const payer = isCustomers.includes(kind) && first !== zeroAddress ? first : random.pick([whale]);
  return {
    hash: random.hash(),
    payer: kind === "onlyGas" || kind === "failing" ? random.pick(customers) : payer,
    gas: BigInt(random.int(0, 40)),
    payments,
    isAllOrNothing: kind === "failing" || random.chance(0.4),
  };
}

function paymentsOf(kind: string, random: Random): Payment[] {
  const customer = random.pick(customers);
  const other = random.pick([...customers, ...strangers]);
  const token = random.pick(tokens);
  const asset: AssetAddress = random.pick([nativeAddress, ...tokens]);
  const source = (of: AssetAddress) => (of === nativeAddress ? whale : zeroAddress);
  const pay = (payment: Partial<Payment>): Payment => ({
    ...{ asset: nativeAddress, from: whale, to: customer, amountAtomic: amount(random) },
    ...{ isInternal: false, ...payment },
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
      return [pay({ isInternal: true }), pay({ isInternal: true, to: random.pick(customers) })];
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
      return [pay({ asset: token, from: zeroAddress }), pay({ from: other, amountAtomic: 2n ** 200n })];
    default:
      return [];
  }
}

/** Small ones, so that many are equal; and now and then nearly all that a uint256 holds. */
function amount(random: Random): bigint {
  if (random.chance(0.04)) return 2n ** BigInt(random.int(100, 255)) - 1n;
  return BigInt(random.pick([1, 2, 3, 5, 8, 13, 100, 1000, 12_345]));
}
