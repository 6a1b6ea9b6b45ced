import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/domain/chain/address.ts";
import {
  type LoadedBlock,
  type Movement,
  nativeAddress,
  onlyAnswered,
} from "../../../src/domain/money/movement.ts";
import { mostSightingsOfBlock, mostSightingsOfDay } from "../../../src/domain/money/sighting.ts";
import type { WatchedWallet, Watchlist } from "../../../src/domain/watch/watchlist.ts";
import { matchSightings } from "../../../src/watcher/match-sightings.ts";

const alice: Address = "0x00000000000000000000000000000000000a11ce";
const stranger: Address = "0x0000000000000000000000000000000000005a1e";
const listed: Address = "0x00000000000000000000000000000000000070c3";
const unlisted: Address = "0x0000000000000000000000000000000000005ca3";

/** Wallets by their addresses. They and the listed token are watched since block 0. */
function listOf(addresses: readonly Address[], since: { wallet?: bigint; token?: bigint } = {}) {
  const wallets = addresses.map((address): [Address, WatchedWallet] => [
    address,
    { id: address, businessId: "acme", address, purpose: "deposit", since: since.wallet ?? 0n },
  ]);
  return {
    version: 1n,
    changeId: null,
    wallets: new Map(wallets),
    assets: new Map([
      [nativeAddress, { id: 1, address: nativeAddress, kind: "exact", since: 0n }],
      [listed, { id: 2, address: listed, kind: "exact", since: since.token ?? 0n }],
    ]),
  } satisfies Watchlist;
}

type Transfer = Extract<Movement, { kind: "transfer" | "wrap" }>;

function move(part: Partial<Transfer> = {}): Transfer {
  return {
    kind: "transfer",
    asset: unlisted,
    txHash: "0x01",
    from: stranger,
    to: alice,
    amountAtomic: 5n,
    logIndex: 3,
    tracePath: null,
    ...part,
  };
}

function sight(movements: readonly Movement[], list: Watchlist = listOf([alice])) {
  const block: LoadedBlock = {
    header: { number: 10n, hash: "0xb", parentHash: "0xa", timeMs: 0 },
    movements: [...movements],
    evidence: { ...onlyAnswered, logs: "root" },
    host: "node",
  };
  return matchSightings("anvil", block, list);
}

describe("a sighting", () => {
  it("says who sent how much of which contract, and what proves its log", () => {
    expect(sight([move({ asset: listed }), move()])).toMatchObject([
      {
        businessId: "acme",
        walletId: alice,
        contract: unlisted,
        fromAddress: stranger,
        toAddress: alice,
        amountAtomic: 5n,
        logIndex: 3,
        ordinal: 3,
        proof: "root",
      },
    ]);
  });

  it.each<[string, Movement, Watchlist]>([
    ["a token that is configured", move({ asset: listed }), listOf([alice])],
    ["the coin", move({ asset: nativeAddress }), listOf([alice])],
    ["no amount", move({ amountAtomic: 0n }), listOf([alice])],
    ["a wrapping", move({ kind: "wrap" }), listOf([alice])],
    ["a transfer out of the wallet", move({ from: alice, to: stranger }), listOf([alice])],
    ["a wallet that is nobody's", move({ to: stranger }), listOf([alice])],
    ["a wallet that is watched since", move(), listOf([alice], { wallet: 10n })],
  ])("is not made of %s", (_, movement, list) => {
    expect(sight([movement], list)).toEqual([]);
  });

  it("is made of a token that counts only in later blocks", () => {
    expect(sight([move({ asset: listed })], listOf([alice], { token: 10n }))).toHaveLength(1);
  });

  it("has an identity of its own beside an equal one", () => {
    expect(new Set(sight([move(), move(), move()]).map(({ identity }) => identity)).size).toBe(3);
  });

  it("is kept so many times of one wallet, whatever else the block holds", () => {
    const bob: Address = "0x0000000000000000000000000000000000000b0b";
    const spam = Array.from({ length: mostSightingsOfDay + 7 }, () => move());
    const found = sight([...spam, move({ to: bob })], listOf([alice, bob]));
    expect(found.filter(({ walletId }) => walletId === alice)).toHaveLength(mostSightingsOfDay);
    expect(found.at(-1)?.walletId).toBe(bob);
  });

  it("is kept so many times of one block", () => {
    const many = Array.from({ length: mostSightingsOfBlock + 7 }, (_, index): Address => {
      return `0x${index.toString(16).padStart(40, "0")}`;
    });
    const found = sight(
      many.map((to) => move({ to })),
      listOf(many),
    );
    expect(found).toHaveLength(mostSightingsOfBlock);
  });
});
