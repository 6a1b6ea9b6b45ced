import { describe, expect, it } from "vitest";
import { readDebugTraces } from "../../src/chain/decode/call-tracer.ts";
import { decodeBlock } from "../../src/chain/decode/decode-block.ts";
import { unshownFees } from "../../src/chain/proof/data-fees.ts";
import { parseBlock, parseReceipt } from "../../src/chain/rpc/rpc-block.ts";
import { profileOf } from "../../src/domain/chain/profiles/known-profiles.ts";
import { type Movement, nativeAddress } from "../../src/domain/money/movement.ts";
import { type Answer, hasSamples, readShared } from "../support/chain/sample.ts";

// A block of Base Sepolia with the exact balance differences of each of its transactions
// (prestateTracer). Its receipts were not recorded: what fees are made of is taken from where the
// fees went, and must add up for who paid them.

const folder = "raw/base-sepolia-42348318/";

/** Where the OP stack keeps fees: tips, base fee, L1 data, operator. */
const vaults = {
  tips: "0x4200000000000000000000000000000000000011",
  baseFee: "0x4200000000000000000000000000000000000019",
  data: "0x420000000000000000000000000000000000001a",
  operator: "0x420000000000000000000000000000000000001b",
};

type Account = { balance?: string };
type Difference = { pre: Record<string, Account>; post: Record<string, Account> };

/** What each account gained or lost in one transaction, by the recording. */
function changesOf({ pre, post }: Difference): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  for (const [address, account] of Object.entries(post)) {
    if (account.balance === undefined) continue;
    const before = BigInt(pre[address]?.balance ?? "0x0");
    changes.set(address, BigInt(account.balance) - before);
  }
  return changes;
}

/** The same by the movements that were decoded. */
function movedIn(movements: readonly Movement[]): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  const add = (address: string, amount: bigint) =>
    changes.set(address, (changes.get(address) ?? 0n) + amount);
  for (const { kind, asset, from, to, amountAtomic } of movements) {
    if (asset !== nativeAddress) continue;
    if (kind !== "income") add(from, -amountAtomic);
    if (kind !== "fee") add(to, amountAtomic);
  }
  return changes;
}

const isNonZero = ([, amount]: [string, bigint]) => amount !== 0n;

describe.runIf(hasSamples)("Base Sepolia, block 42,348,318", () => {
  it("moves in each of its 14 transactions what the recorded balances say, to the wei", () => {
    const block = parseBlock(readShared(`${folder}block.json`));
    const recorded = block.transactions.map(({ hash }) => ({
      trace: readShared(`${folder}traces_${hash}.json`) as Answer,
      changes: changesOf(readShared(`${folder}state-diffs_${hash}.json`) as Difference),
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
      const none: { trace: Answer; changes: Map<string, bigint> } = {
        trace: {},
        changes: new Map(),
      };
      const { trace, changes } = recorded[index] ?? none;
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
    const answer = recorded.map(({ trace }, index) => ({
      txHash: block.transactions[index]?.hash,
      result: trace,
    }));
    const traces = readDebugTraces({ block, receipts, untraced: new Set() }, answer);
    const profile = profileOf(84_532);
    const movements = decodeBlock({ block, receipts, traces }, { aliases: new Map(), profile });

    const collected = new Set<string>(Object.values(vaults));
    expect(block.transactions).toHaveLength(14);
    for (const [index, { hash }] of block.transactions.entries()) {
      const own = movements.filter(({ txHash }) => txHash === hash);
      const found = [...movedIn(own)].filter(isNonZero);
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
