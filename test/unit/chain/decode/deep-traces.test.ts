import { expect, it } from "vitest";
import { readDebugTraces } from "../../../../src/chain/decode/call-tracer.ts";
import { readParityTraces } from "../../../../src/chain/decode/trace-block.ts";
import { parseBlock, parseReceipt } from "../../../../src/chain/rpc/rpc-block.ts";

const hash = `0x${"5".repeat(64)}` as const;
const [alice, bob] = [`0x${"a1".repeat(20)}`, `0x${"b0".repeat(20)}`];

const transaction = { hash, from: alice, to: bob, value: "0x0" };
const header = { number: "0x7", hash, parentHash: hash, timestamp: "0x5" };
const block = parseBlock({ ...header, miner: bob, logsBloom: "0x", transactions: [transaction] });
const common = { transactionHash: hash, blockHash: hash, status: "0x1", gasUsed: "0x2", logs: [] };
const traced = { block, receipts: [parseReceipt(common)], untraced: new Set<never>() };

/** A call of the callTracer with so many calls within each other. */
function nested(depth: number): object {
  let frame: object = { type: "CALL", from: bob, to: alice, value: "0x9" };
  for (let times = 1; times < depth; times += 1)
    frame = { type: "CALL", from: bob, to: bob, value: "0x0", calls: [frame] };
  return { type: "CALL", from: alice, to: bob, value: "0x0", calls: [frame] };
}

/** The same as trace_block names it: the transaction, and its deepest call. */
const listed = (depth: number) =>
  [[], Array<number>(depth).fill(0)].map((traceAddress) => ({
    blockHash: hash,
    transactionHash: hash,
    transactionPosition: 0,
    type: "call",
    traceAddress,
    action: { callType: "call", from: bob, to: alice, value: "0x9" },
  }));

it("a trace may be as deep as the EVM goes", () => {
  const paid = [expect.objectContaining({ to: alice, amountAtomic: 9n })];
  const [debug] = readDebugTraces(traced, [{ result: nested(1_024) }]).transactions;
  expect(debug?.moves).toEqual(paid);
  const [parity] = readParityTraces(traced, listed(1_024)).transactions;
  expect(parity?.moves).toEqual(paid);
});

it("a trace that is deeper is refused, however deep an endpoint makes it", () => {
  expect(() => readDebugTraces(traced, [{ result: nested(50_000) }])).toThrow(/calls deep/);
  expect(() => readParityTraces(traced, listed(50_000))).toThrow(/calls deep/);
});

it("a trace that an endpoint repeats moves its coin once", () => {
  const [top, call] = listed(3);
  const [parity] = readParityTraces(traced, [top, call, call, top, call]).transactions;
  expect(parity?.moves).toEqual([expect.objectContaining({ to: alice, amountAtomic: 9n })]);
});
