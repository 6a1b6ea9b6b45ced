import { keccak256, toHex } from "viem/utils";
import { describe, expect, it } from "vitest";
import { profileOf } from "../../../../src/domain/chain/profiles/known-profiles.ts";
import type { Movement } from "../../../../src/domain/money/movement.ts";
import { alice, bob, carol, decode, logOf, token, transfer, word } from "./made-block.ts";

const tempo = profileOf(4_217);
const virtual = `0x0a1b2c3d${"fd".repeat(10)}000000000007`;
const memoOf = (text: string) => toHex(text, { size: 32 });
const memoTopic = keccak256(toHex("TransferWithMemo(address,address,uint256,bytes32)"));
const memoLog = (from: string, to: string, amount: number, text: string) =>
  logOf(token, [memoTopic, word(from), word(to), memoOf(text)], word(amount));

const said = (movements: readonly Movement[]) =>
  movements.map(({ from, to, amountAtomic, tag }) => [
    ...[from, to, amountAtomic, tag?.memo ?? null, tag?.virtualAddress ?? null],
  ]);

describe("TIP-20 on Tempo", () => {
  it("a memo is of the transfer before it, of the same parties and amount", () => {
    const logs = [
      transfer(token, alice, bob, 5),
      memoLog(alice, bob, 5, "first"),
      transfer(token, alice, carol, 5),
      transfer(token, alice, bob, 5),
      memoLog(alice, bob, 5, "second"),
    ];
    expect(said(decode(tempo, { logs }))).toEqual([
      [alice, bob, 5n, memoOf("first"), null],
      [alice, carol, 5n, null, null],
      [alice, bob, 5n, memoOf("second"), null],
    ]);
  });

  it("a memo of other parties, of another amount, or before any transfer, is nobody's", () => {
    const logs = [
      memoLog(alice, bob, 5, "early"),
      transfer(token, alice, bob, 5),
      memoLog(alice, carol, 5, "other"),
      memoLog(alice, bob, 6, "more"),
    ];
    expect(said(decode(tempo, { logs }))).toEqual([[alice, bob, 5n, null, null]]);
  });

  it("a payment to a virtual address is one, to its master wallet, with the memo", () => {
    const logs = [
      transfer(token, alice, virtual, 5),
      transfer(token, virtual, bob, 5),
      memoLog(alice, virtual, 5, "invoice"),
    ];
    expect(said(decode(tempo, { logs }))).toEqual([[alice, bob, 5n, memoOf("invoice"), virtual]]);
  });

  it("two payments to one virtual address are two, and each is forwarded once", () => {
    const both = [transfer(token, alice, virtual, 5), transfer(token, virtual, bob, 5)];
    expect(said(decode(tempo, { logs: [...both, ...both] }))).toEqual([
      [alice, bob, 5n, null, virtual],
      [alice, bob, 5n, null, virtual],
    ]);
  });

  it("what is not forwarded, or only in part, stays as it is logged", () => {
    const part = [transfer(token, alice, virtual, 5), transfer(token, virtual, bob, 4)];
    expect(said(decode(tempo, { logs: part }))).toEqual([
      [alice, virtual, 5n, null, null],
      [virtual, bob, 4n, null, null],
    ]);
  });

  it("says nothing on other chains", () => {
    const logs = [
      transfer(token, alice, virtual, 5),
      transfer(token, virtual, bob, 5),
      memoLog(alice, virtual, 5, "invoice"),
    ];
    expect(said(decode(profileOf(1), { logs }))).toEqual([
      [alice, virtual, 5n, null, null],
      [virtual, bob, 5n, null, null],
    ]);
  });
});
