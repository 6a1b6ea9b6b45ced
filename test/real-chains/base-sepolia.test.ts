import { describe, expect, it } from "vitest";
import { readDebugTraces } from "../../src/chain/decode/call-tracer.ts";
import { decodeBlock } from "../../src/chain/decode/decode-block.ts";
import { unshownFees } from "../../src/chain/proof/data-fees.ts";
import { movedBy } from "../../src/chain/recording/judge-state.ts";
import type { Recording } from "../../src/chain/recording/recording.ts";
import { parseBlock, parseReceipt } from "../../src/chain/rpc/rpc-block.ts";
import { profileOf } from "../../src/domain/chain/profiles/known-profiles.ts";
import { readRecordingNamed } from "../support/chain/recordings.ts";

// A block of Base Sepolia with the exact balance differences of each of its transactions
// (prestateTracer). Its receipts were not recorded: what fees are made of is taken from where the
// fees went, and must add up for who paid them.

/** Where the OP stack keeps fees: tips, base fee, L1 data, operator. */
const vaults = {
  tips: "0x4200000000000000000000000000000000000011",
  baseFee: "0x4200000000000000000000000000000000000019",
  data: "0x420000000000000000000000000000000000001a",
  operator: "0x420000000000000000000000000000000000001b",
};

/** What each account gained or lost in one transaction, by the recording. */
function changesIn({ balances }: Recording, place: number): Map<string, bigint> {
  const changed = balances.filter(({ transaction }) => transaction === place);
  return new Map(
    changed.map(({ address, beforeAtomic, afterAtomic }) => [address, afterAtomic - beforeAtomic]),
  );
}

type Answer = Record<string, unknown>;

const isNonZero = ([, amount]: [string, bigint]) => amount !== 0n;

describe("Base Sepolia, block 42,348,318", () => {
  it("moves in each of its 14 transactions what the recorded balances say, to the wei", () => {
    const recording = readRecordingNamed("84532-42348318");
    const block = parseBlock(recording.block);
    const traced = (recording.traces?.answer ?? []) as { result: Answer }[];
    const recorded = block.transactions.map((_, index) => ({
      trace: traced[index]?.result ?? {},
      changes: changesIn(recording, index),
    }));
    // Jovian's call in the first transaction: operatorFeeScalar, operatorFeeConstant and
    // daFootprintGasScalar, packed.
    const attributes = Buffer.from(String(block.transactions[0]?.raw["input"]).slice(2), "hex");
    const operator = {
      operatorFeeScalar: `0x${attributes.subarray(164, 168).toString("hex")}`,
      operatorFeeConstant: `0x${attributes.subarray(168, 176).toString("hex")}`,
      daFootprintGasScalar: `0x${attributes.subarray(176, 178).toString("hex")}`,
    };
    const receipts = block.transactions.map(({ hash, type, raw }, index) => {
      const trace: Answer = recorded[index]?.trace ?? {};
      const changes = changesIn(recording, index);
      const isDeposit = type === 0x7e;
      const data = changes.get(vaults.data) ?? 0n;
      return parseReceipt({
        transactionHash: hash,
        blockHash: block.hash,
        contractAddress: null,
        logs: [],

        type: raw["type"],
        gasUsed: trace["gasUsed"],

        status: trace["error"] === undefined ? "0x1" : "0x0",
        effectiveGasPrice: isDeposit ? "0x0" : raw["gasPrice"],
        ...(isDeposit ? {} : { ...operator, l1Fee: `0x${data.toString(16)}` }),
      });
    });
    const traces = readDebugTraces({ block, receipts, untraced: new Set() }, traced);
    const profile = profileOf(84_532);
    const movements = decodeBlock({ block, receipts, traces }, { aliases: new Map(), profile });

    const collected = new Set<string>(Object.values(vaults));
    expect(block.transactions).toHaveLength(14);
    for (const [index, { hash }] of block.transactions.entries()) {
      const own = movements.filter(({ txHash }) => txHash === hash);
      const found = [...movedBy(own)].filter(isNonZero);
      const expected = [...(recorded[index]?.changes ?? [])].filter(isNonZero);
      const outside = ([address]: [string, bigint]) => !collected.has(address);
      expect(new Map(found.filter(outside)), hash).toEqual(new Map(expected.filter(outside)));
      // And the vaults got all of the fee.
      const fees = own.filter(({ kind }) => kind === "fee");
      const paid = fees.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
      const kept = expected.filter((change) => !outside(change));
      expect(
        kept.reduce((sum, [, amount]) => sum + amount, 0n),
        hash,
      ).toBe(paid);
    }
    // What each paid for its data follows from the block itself; one wei more would not.
    expect(unshownFees(profile, { block, receipts })).toEqual(new Set());
    const more = receipts.map((one) => ({ ...one, otherFees: one.otherFees + 1n }));
    const paying = receipts.filter(({ otherFees }) => otherFees > 0n);
    expect(paying.length).toBeGreaterThan(5);
    const unshown = unshownFees(profile, { block, receipts: more });
    expect([...unshown]).toEqual(block.transactions.map(({ hash }) => hash));
  });
});
