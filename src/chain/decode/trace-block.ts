import type { Address } from "../../domain/chain/address.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import {
  type RpcObject,
  readAddress,
  readHash,
  readList,
  readObject,
  readQuantity,
} from "../rpc/rpc-value.ts";
import type { Reward } from "./income/block-income.ts";
import type { CoinMove } from "./income/movement-makers.ts";
import {
  addMove,
  type BlockTraces,
  burnsCoin,
  isThere,
  mayMove,
  requireDepth,
  requireFailed,
  type TracedBlock,
} from "./trace-moves.ts";

type State = {
  isTopSeen: boolean;
  failed: Set<string>;
  /** Null: a contract that destroys itself keeps its coin. */
  created: Set<Address> | null;
  moves: CoinMove[];
};

/**
 * Reads an answer of `trace_block`: one list for the block, each trace with its place in its
 * transaction's tree. A failed frame and all frames below it moved nothing. Every trace must have
 * the block's hash, and every transaction its top trace. That may fail only with the transaction.
 * Rewards are traces without a transaction. A trace that comes again moves nothing more.
 * @throws Fault `rpc_inconsistent`
 */
export function readParityTraces(traced: TracedBlock, answer: unknown): BlockTraces {
  const { block, receipts, untraced } = traced;
  const states = block.transactions.map(
    ({ hash }): State => ({
      isTopSeen: untraced.has(hash),
      failed: new Set(),
      created: burnsCoin(block) ? new Set() : null,
      moves: [],
    }),
  );
  const rewards: Reward[] = [];
  for (const element of readList(answer, "traces")) {
    const trace = readObject(element, "trace");
    if (readHash(trace["blockHash"], "trace's blockHash") !== block.hash)
      throw refusedBlock(block, "a trace is of another block");
    if (!isThere(trace["transactionHash"])) {
      if (trace["type"] === "reward") rewards.push(readReward(trace));
      continue;
    }
    const index = Number(readQuantity(trace["transactionPosition"], "transactionPosition"));
    const state = states[index];
    const transaction = block.transactions[index];
    const hash = readHash(trace["transactionHash"], "trace's transactionHash");
    if (state === undefined || transaction?.hash !== hash)
      throw refusedBlock(block, `a trace is of transaction ${hash}, which is not at ${index}`);
    const path = readList(trace["traceAddress"], "traceAddress").map(Number);
    requireDepth(block, path.length);
    const isTop = path.length === 0;
    if (isTop) state.isTopSeen = true;
    if (isThere(trace["error"])) {
      if (isTop) requireFailed(block, index, receipts[index]);
      // With EIP-8130 earlier phases count even if a later one failed.
      if (!isTop || !mayMove(transaction, receipts[index])) state.failed.add(path.join("."));
    }
    if (!mayMove(transaction, receipts[index]) || isBelow(state.failed, path)) continue;
    addTrace(trace, path, state);
  }
  const missing = states.findIndex((state) => !state.isTopSeen);
  if (missing !== -1) throw refusedBlock(block, `transaction ${missing} has no trace`);
  const transactions = states.map(({ moves }) => ({
    moves: onceEach(moves),
    made: [],
    fees: null,
  }));
  return { transactions, rewards };
}

/** Each move once. Some nodes repeat parts of an answer, and a place in the tree has one frame. */
function onceEach(moves: readonly CoinMove[]): CoinMove[] {
  const once = new Map(
    moves.map((move) => [`${move.tracePath}/${move.from}/${move.to}/${move.amountAtomic}`, move]),
  );
  return once.size === moves.length ? [...moves] : [...once.values()];
}

function readReward(trace: RpcObject): Reward {
  const action = readObject(trace["action"], "action");
  return {
    to: readAddress(action["author"], "reward author"),
    amountAtomic: readQuantity(action["value"], "reward value"),
  };
}

/** True if the frame or one above it failed. */
function isBelow(failed: ReadonlySet<string>, path: readonly number[]): boolean {
  if (failed.size === 0) return false;
  return [...path, -1].some((_, length) => failed.has(path.slice(0, length).join(".")));
}

function addTrace(
  trace: RpcObject,
  path: readonly number[],
  state: Pick<State, "created" | "moves">,
): void {
  const { created, moves } = state;
  const action = readObject(trace["action"], "action");
  const tracePath = path.join(".");
  const common = { tracePath, created };
  switch (trace["type"]) {
    case "create": {
      const result = readObject(trace["result"], "create result");
      const to = readAddress(result["address"], "created address");
      created?.add(to);
      const amountAtomic = readQuantity(action["value"], "create value");
      if (path.length === 0 || amountAtomic === 0n) return;
      const from = readAddress(action["from"], "create from");
      addMove(moves, { ...common, type: "CREATE", from, to, amountAtomic });
      return;
    }
    case "suicide": {
      const from = readAddress(action["address"], "destroyed address");
      const to = readAddress(action["refundAddress"], "refundAddress");
      const amountAtomic = readQuantity(action["balance"], "destroyed balance");
      if (amountAtomic === 0n) return;
      addMove(moves, { ...common, type: "SELFDESTRUCT", from, to, amountAtomic });
      return;
    }
    case "call": {
      const amountAtomic = readQuantity(action["value"], "call value");
      if (path.length === 0 || action["callType"] !== "call" || amountAtomic === 0n) return;
      const from = readAddress(action["from"], "call from");
      const to = readAddress(action["to"], "call to");
      addMove(moves, { ...common, type: "CALL", from, to, amountAtomic });
      return;
    }
  }
}
