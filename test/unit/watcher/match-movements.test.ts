import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/domain/chain/address.ts";
import type { AssetKind } from "../../../src/domain/money/asset.ts";
import {
  type IncomeSource,
  type LoadedBlock,
  type Movement,
  nativeAddress,
  onlyAnswered,
} from "../../../src/domain/money/movement.ts";
import type { WatchedWallet, Watchlist } from "../../../src/domain/watch/watchlist.ts";
import { matchEchoes, matchMovements } from "../../../src/watcher/match-movements.ts";

const alice: Address = "0x00000000000000000000000000000000000a11ce";
const bob: Address = "0x0000000000000000000000000000000000000b0b";
const stranger: Address = "0x0000000000000000000000000000000000005a1e";
const token: Address = "0x00000000000000000000000000000000000070c3";

function listOf(options: {
  aliceSince?: bigint;
  tokenSince?: bigint;
  tokenKind?: AssetKind;
}): Watchlist {
  const wallet = (id: string, address: Address, purpose: "deposit" | "payment", since: bigint) =>
    [address, { id, businessId: `of-${id}`, address, purpose, since }] as const;
  return {
    version: 1n,
    changeId: null,
    wallets: new Map<Address, WatchedWallet>([
      wallet("alice", alice, "deposit", options.aliceSince ?? 0n),
      wallet("bob", bob, "payment", 0n),
    ]),
    assets: new Map([
      [nativeAddress, { id: 1, address: nativeAddress, kind: "exact", since: 0n }],
      [
        token,
        {
          id: 2,
          address: token,
          kind: options.tokenKind ?? "exact",
          since: options.tokenSince ?? 0n,
        },
      ],
    ]),
  };
}

type Plain = Exclude<Movement, { kind: "income" }>;

function move(part: Partial<Plain>): Plain {
  return {
    kind: "transfer",
    asset: nativeAddress,
    txHash: "0x01",
    from: stranger,
    to: alice,
    amountAtomic: 5n,
    logIndex: null,
    tracePath: null,
    ...part,
  };
}

function blockOf(...movements: Movement[]): LoadedBlock {
  return {
    header: { number: 10n, hash: "0xb", parentHash: "0xa", timeMs: 0 },
    movements,
    evidence: onlyAnswered,
    host: "node",
  };
}

const match = (block: LoadedBlock, list = listOf({})) => matchMovements("anvil", block, list);

describe("matching movements", () => {
  it("calls an incoming transfer a deposit, and a payment where the wallet is a checkout address", () => {
    const matched = match(blockOf(move({ to: alice }), move({ to: bob })));
    expect(matched.map(({ walletId, type }) => [walletId, type])).toEqual([
      ["alice", "deposit"],
      ["bob", "payment"],
    ]);
  });

  it("makes one transaction for each side of a transfer between two wallets", () => {
    const matched = match(blockOf(move({ from: alice, to: bob })));
    expect(matched.map(({ walletId, direction }) => [walletId, direction])).toEqual([
      ["alice", "out"],
      ["bob", "in"],
    ]);
    expect(new Set(matched.map((one) => one.identity)).size).toBe(2);
  });

  it("gives equal transfers of one transaction identities of their own", () => {
    const matched = match(blockOf(move({}), move({}), move({})));
    expect(new Set(matched.map((one) => one.identity)).size).toBe(3);
  });

  it("gives a transfer the same identity in another block, at another log index", () => {
    const [first] = match(blockOf(move({ asset: token, logIndex: 0 })));
    const elsewhere = blockOf(
      move({ asset: token, from: bob, to: stranger }),
      move({ asset: token, logIndex: 7 }),
    );
    const second = match({ ...elsewhere, header: { ...elsewhere.header, number: 11n } }).at(-1);
    expect(second?.identity).toBe(first?.identity);
  });

  it("counts a fee once for its payer, whatever its amount", () => {
    const fee = (amountAtomic: bigint) =>
      match(blockOf(move({ kind: "fee", from: alice, to: bob, amountAtomic })));
    expect(fee(1n)).toHaveLength(1);
    expect(fee(1n)[0]?.identity).toBe(fee(2n)[0]?.identity);
  });

  it("leaves the identity of a wrapping as it is beside an equal echo", () => {
    const list = listOf({ tokenKind: "weth9" });
    const unwrapping = { asset: token, from: alice, to: stranger };
    const alone = blockOf(move({ ...unwrapping, kind: "wrap", logIndex: 0 }));
    const echoed = blockOf(
      move({ ...unwrapping, logIndex: 0, echoLogIndex: 1 }),
      move({ ...unwrapping, kind: "wrap", logIndex: 2 }),
    );
    const [wrapping] = match(alone, list);
    const identities = match(echoed, list).map(({ identity }) => identity);
    const [echo, ...others] = matchEchoes("anvil", echoed, list);
    expect(identities).toHaveLength(2);
    expect(identities).toContain(wrapping?.identity);
    expect(others).toEqual([]);
    expect(echo).toMatchObject({ logIndex: 1, direction: "out", amountAtomic: 5n });
    expect(identities).not.toContain(echo?.identity);
    expect(matchEchoes("anvil", alone, list)).toEqual([]);
    expect(matchEchoes("anvil", echoed, listOf({}))).toEqual([]);
  });

  it("counts what an asset wraps only where it is configured as one that wraps", () => {
    const wrapping = blockOf(move({ kind: "wrap", asset: token }));
    expect(match(wrapping)).toEqual([]);
    const matched = match(wrapping, listOf({ tokenKind: "weth9" }));
    expect(matched.map(({ type, direction }) => [type, direction])).toEqual([["deposit", "in"]]);
  });

  it("knows an income again by the withdrawal's index, the mint's transaction or the block that paid it", () => {
    const income = (source: IncomeSource, amountAtomic = 5n) =>
      match(blockOf({ ...move({ amountAtomic }), kind: "income", from: bob, source }))[0];
    const first = income({ kind: "withdrawal", index: 1n });
    expect(first).toMatchObject({ type: "income", direction: "in", walletId: "alice" });
    const identities = [
      first,
      income({ kind: "withdrawal", index: 2n }),
      income({ kind: "mint" }),
      income({ kind: "fees", blockHash: "0xb" }),
      income({ kind: "fees", blockHash: "0xc" }),
    ].map((one) => one?.identity);
    expect(new Set(identities).size).toBe(5);
    expect(income({ kind: "withdrawal", index: 1n }, 6n)?.identity).toBe(first?.identity);
    // Nobody pays an income: a wallet that happens to stand as its sender loses nothing.
    const matched = match(
      blockOf({ ...move({}), kind: "income", from: bob, source: { kind: "mint" } }),
    );
    expect(matched).toHaveLength(1);
  });

  it("passes over zero amounts, strangers and assets that are not configured", () => {
    const other: Address = "0x0000000000000000000000000000000000000bad";
    expect(
      match(blockOf(move({ amountAtomic: 0n }), move({ to: stranger }), move({ asset: other }))),
    ).toEqual([]);
  });

  it("counts nothing at or below the block where the wallet or the asset began to be watched", () => {
    expect(match(blockOf(move({})), listOf({ aliceSince: 10n }))).toEqual([]);
    expect(match(blockOf(move({})), listOf({ aliceSince: 9n }))).toHaveLength(1);
    expect(match(blockOf(move({ asset: token })), listOf({ tokenSince: 10n }))).toEqual([]);
    expect(match(blockOf(move({ asset: token })), listOf({ tokenSince: 9n }))).toHaveLength(1);
  });

  it("keeps the order of execution, the outgoing side first", () => {
    const matched = match(blockOf(move({}), move({ from: alice, to: alice }), move({ to: bob })));
    const ordinals = matched.map((one) => one.ordinal);
    expect(ordinals).toEqual([...ordinals].sort((a, b) => a - b));
    expect(new Set(ordinals).size).toBe(4);
  });
});
