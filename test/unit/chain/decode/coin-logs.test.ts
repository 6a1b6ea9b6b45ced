import { describe, expect, it } from "vitest";
import { profileOf } from "../../../../src/domain/chain/profiles/known-profiles.ts";
import {
  alice,
  blockHash,
  bob,
  carol,
  decode,
  hex,
  seen,
  token,
  transfer,
  txHash,
  zero,
} from "./made-block.ts";

const coinLog = "0xfffffffffffffffffffffffffffffffffffffffe";
const amsterdam = { blockAccessListHash: `0x${"c".repeat(64)}` };
const ethereum = profileOf(1);

describe("the coin since Amsterdam (EIP-7708)", () => {
  it("moves as its logs say, without traces and without counting the value again", () => {
    const logs = [transfer(coinLog, alice, bob, 7), transfer(coinLog, bob, carol, 3)];
    const transaction = { value: "0x7" };
    expect(seen(decode(ethereum, { block: amsterdam, transaction, logs }))).toEqual([
      ["transfer", "native", alice, bob, 7n],
      ["transfer", "native", bob, carol, 3n],
    ]);
  });

  it("does not move as a trace says that no log confirms", () => {
    const frame = { calls: [{ type: "CALL", from: bob, to: carol, value: "0x63" }] };
    const logs = [transfer(coinLog, alice, bob, 7)];
    const transaction = { value: "0x7" };
    expect(seen(decode(ethereum, { block: amsterdam, transaction, logs, frame }))).toEqual([
      ["transfer", "native", alice, bob, 7n],
    ]);
  });

  it("still shows what an account sends to itself, which is not logged", () => {
    const transaction = { to: alice, value: "0x7" };
    expect(seen(decode(ethereum, { block: amsterdam, transaction }))).toEqual([
      ["transfer", "native", alice, alice, 7n],
    ]);
  });

  it("is not read where a value has no log: what moves must not be taken for nothing", () => {
    const transaction = { value: "0x7" };
    for (const logs of [[], [transfer(token, alice, bob, 7)], [transfer(coinLog, alice, carol, 7)]])
      expect(() => decode(ethereum, { block: amsterdam, transaction, logs })).toThrow(
        "transaction 0 moves coin without a log of it",
      );
  });

  it("stays with a contract that destroys itself in the transaction that made it (EIP-8246)", () => {
    const calls = [
      { type: "CREATE", from: bob, to: carol, value: "0x7" },
      { type: "SELFDESTRUCT", from: carol, to: carol, value: "0x7" },
    ];
    const made = ["transfer", "native", bob, carol, 7n];
    const destroyed = ["transfer", "native", carol, zero, 7n];
    const monad = profileOf(143);
    expect(seen(decode(monad, { frame: { calls } }))).toEqual([made, destroyed]);
    expect(seen(decode(monad, { block: amsterdam, frame: { calls } }))).toEqual([made]);
    const logs = [transfer(coinLog, bob, carol, 7)];
    expect(seen(decode(ethereum, { block: amsterdam, frame: { calls }, logs }))).toEqual([made]);
  });

  it("burns before that with the contract that the transaction itself made, as either node traces it", () => {
    const own = { type: "SELFDESTRUCT", from: carol, to: carol, value: "0x7" };
    const transaction = { to: null, value: "0x7" };
    const receipt = { contractAddress: carol };
    const frame = { type: "CREATE", to: carol, calls: [own] };
    const common = { blockHash, transactionHash: txHash, transactionPosition: 0 };
    const parity = [
      {
        ...common,
        type: "create",
        traceAddress: [],
        action: { from: alice, value: "0x7" },
        result: { address: carol },
      },
      {
        ...common,
        type: "suicide",
        traceAddress: [0],
        action: { address: carol, refundAddress: carol, balance: "0x7" },
      },
    ];
    for (const traces of [{ frame }, { parity }])
      expect(seen(decode(profileOf(143), { transaction, receipt, ...traces }))).toEqual([
        ["transfer", "native", alice, carol, 7n],
        ["transfer", "native", carol, zero, 7n],
      ]);
  });

  it("moves by value and traces where the field is not there, or is only zeros (Monad)", () => {
    const zeros = { blockAccessListHash: `0x${"0".repeat(64)}` };
    for (const block of [{}, zeros]) {
      const logs = [transfer(coinLog, alice, bob, 7)];
      const made = { block, transaction: { value: "0x7" }, logs };
      expect(seen(decode(profileOf(143), made))).toEqual([["transfer", "native", alice, bob, 7n]]);
    }
  });
});

describe("one balance that is a coin and a token", () => {
  const arc = profileOf(5_042);
  const arcToken = "0x3600000000000000000000000000000000000000";
  const million = 10n ** 12n;

  it("Arc: a transfer by the token counts once, in the coin's decimals", () => {
    const logs = [transfer(coinLog, alice, bob, 5n * million), transfer(arcToken, alice, bob, 5n)];
    expect(seen(decode(arc, { logs }))).toEqual([["transfer", "native", alice, bob, 5n * million]]);
  });

  it("Arc: a transfer by value counts once, whether it is logged or not", () => {
    const transaction = { value: hex(5n * million) };
    const logged = [transfer(coinLog, alice, bob, 5n * million)];
    for (const logs of [[], logged]) {
      expect(seen(decode(arc, { transaction, logs }))).toEqual([
        ["transfer", "native", alice, bob, 5n * million],
      ]);
    }
  });

  it("Arc: two equal transfers in one transaction count twice", () => {
    const transaction = { value: hex(5n * million) };
    const logs = [
      transfer(coinLog, alice, bob, 5n * million),
      transfer(coinLog, alice, bob, 5n * million),
      transfer(arcToken, alice, bob, 5n),
    ];
    expect(decode(arc, { transaction, logs })).toHaveLength(2);
  });

  const stable = profileOf(988);
  const usdt0 = "0x779ded0c9e1022225f8e0630b35a9b54be713736";
  const reserve = "0x6d11e1a6bdcc974ebe1ca73cc2c1ea3fde624370";

  it("Stable: a transfer by the token counts, and what its reserve evens out does not", () => {
    const logs = [transfer(usdt0, alice, reserve, 1n), transfer(usdt0, alice, bob, 5n)];
    expect(seen(decode(stable, { logs }))).toEqual([
      ["transfer", "native", alice, bob, 5n * million],
    ]);
  });

  it("Stable: a transfer by value that the token logs too counts once, to the last digit", () => {
    const amount = 5n * million + 123n;
    const transaction = { value: hex(amount) };
    for (const rounded of [5n, 6n]) {
      const logs = [transfer(usdt0, alice, bob, rounded)];
      expect(seen(decode(stable, { transaction, logs }))).toEqual([
        ["transfer", "native", alice, bob, amount],
      ]);
    }
  });
});
