import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../../../src/domain/chain/address.ts";
import { createWalletTable } from "../../../../src/domain/watch/wallet-table.ts";
import type { WatchedWallet } from "../../../../src/domain/watch/watchlist.ts";

const addressOf = (index: number): Address =>
  `0x${(BigInt(index) * 0x1000000000000000000000000000000001n).toString(16).padStart(40, "0")}`;

const businessIds = [randomUUID(), randomUUID(), randomUUID()];

function walletOf(index: number, since: bigint): WatchedWallet {
  return {
    id: randomUUID(),
    businessId: businessIds[index % 3] ?? "",
    address: addressOf(index),
    purpose: index % 2 === 0 ? "deposit" : "payment",
    since,
  };
}

test("a wallet comes back as it was put in, and no other address does", () => {
  const table = createWalletTable();
  const wallets = Array.from({ length: 5_000 }, (_, index) => walletOf(index, BigInt(index) - 1n));
  for (const wallet of wallets) table.set(wallet.address, wallet);
  expect(table.size).toBe(5_000);
  expect([...table.values()]).toEqual(wallets);
  for (const wallet of wallets) expect(table.get(wallet.address)).toEqual(wallet);
  expect(table.has(addressOf(5_000))).toBe(false);
  expect(table.get(addressOf(5_000))).toBeUndefined();
  expect(table.has("0x" as Address)).toBe(false);
});

test("whatever is added, replaced and removed, it holds what a Map would", () => {
  const change = fc.record({
    kind: fc.constantFrom("set", "set", "delete"),
    index: fc.nat({ max: 400 }),
    since: fc.bigInt({ min: -1n, max: 2n ** 62n }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 1_500 }), (changes) => {
      const table = createWalletTable();
      const map = new Map<Address, WatchedWallet>();
      for (const { kind, index, since } of changes) {
        const wallet = walletOf(index, since);
        for (const target of [table, map]) {
          if (kind === "set") target.set(wallet.address, wallet);
          else target.delete(wallet.address);
        }
      }
      expect(table.size).toBe(map.size);
      for (let index = 0; index <= 400; index += 1) {
        expect(table.get(addressOf(index))).toEqual(map.get(addressOf(index)));
      }
    }),
    { numRuns: 50 },
  );
});
