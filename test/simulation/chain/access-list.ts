import type { RpcObject } from "../../../src/chain/rpc/rpc-value.ts";
import { nativeAddress } from "../../../src/domain/money/movement.ts";
import { holdingKey } from "./addresses.ts";
import type { Balances } from "./fake-transaction.ts";

const toHex = (value: bigint | number) => `0x${value.toString(16)}`;

/**
 * What each account has of the coin after each place of a block that changed it, as
 * eth_getBlockAccessList answers it (EIP-7928). `after`: all balances after each transaction, and
 * last after what the block itself pays.
 */
export function accessListOf(before: Balances, after: readonly Balances[]): RpcObject[] {
  const ending = holdingKey("", nativeAddress);
  const owners = new Set(
    after.flatMap((balances) => [...balances.keys()].filter((key) => key.endsWith(ending))),
  );
  return [...owners].toSorted().flatMap((key) => {
    let was = before.get(key) ?? 0n;
    const balanceChanges = after.flatMap((balances, place) => {
      const is = balances.get(key) ?? 0n;
      if (is === was) return [];
      was = is;
      return [{ index: toHex(place + 1), value: toHex(is) }];
    });
    if (balanceChanges.length === 0) return [];
    const address = key.slice(0, key.length - ending.length);
    const others = { storageChanges: [], storageReads: [], nonceChanges: [], codeChanges: [] };
    return [{ address, balanceChanges, ...others }];
  });
}
