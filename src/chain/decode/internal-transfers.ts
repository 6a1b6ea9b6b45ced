import type { Address } from "../../domain/chain/address.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import type { RpcBlock, RpcReceipt } from "../rpc/rpc-block.ts";
import {
  type RpcObject,
  readAddress,
  readHash,
  readList,
  readObject,
  readOptionalAddress,
  readOptionalQuantity,
  readQuantity,
} from "../rpc/rpc-value.ts";

/** Coin that a contract moved while its transaction ran. */
type InternalTransfer = {
  from: Address;
  to: Address;
  amountAtomic: bigint;
  /** The frame's place in its transaction's call tree: indexes from the top, joined by dots. */
  tracePath: string;
};

/** Of each transaction of a block, in order: its internal transfers, in order of execution. */
export type BlockTransfers = InternalTransfer[][];

/**
 * Frames that move the coin they name. The others (DELEGATECALL, CALLCODE, STATICCALL) move none, although some clients
 * let them show the value of the call around them.
 */
const movingTypes = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"]);

type Answered = { block: RpcBlock; receipts: readonly RpcReceipt[] };

/**
 * Reads an answer of `debug_traceBlockByHash` with the callTracer. A frame that failed moved nothing, nor did anything
 * below it. The top frame is left out: the transaction itself has it, and it must be the same here.
 * @throws Fault `rpc_inconsistent` where an element says that it could not be traced, or is not of this block
 */
export function readDebugTraces(answered: Answered, answer: unknown): BlockTransfers {
  const { block, receipts } = answered;
  const elements = readList(answer, "traces");
  if (elements.length !== block.transactions.length) {
    const found = `${block.transactions.length} transactions, but ${elements.length} traces`;
    throw refusedBlock(block, found);
  }
  return block.transactions.map((transaction, index) => {
    const element = readObject(elements[index], "trace");
    if (isThere(element["error"])) throw refusedBlock(block, `trace ${index} failed`);
    const stated = element["txHash"];
    if (isThere(stated) && readHash(stated, "trace's txHash") !== transaction.hash)
      throw refusedBlock(block, `trace ${index} is of another transaction`);
    const root = readObject(element["result"], "trace result");
    const isSame =
      readAddress(root["from"], "trace from") === transaction.from &&
      readOptionalQuantity(root["value"], "trace value") === transaction.value;
    if (!isSame) throw refusedBlock(block, `trace ${index} is not of its transaction`);
    if (receipts[index]?.isSuccess !== true) return [];
    if (isThere(root["error"]))
      throw refusedBlock(block, `trace ${index} failed, but its receipt did not`);
    return transfersBelow(root);
  });
}

/** Depth first, without recursion: a call tree may be 1,024 deep and more. */
function transfersBelow(root: RpcObject): InternalTransfer[] {
  const transfers: InternalTransfer[] = [];
  const created = new Set<Address>();
  const waiting = childrenOf(root, []);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { frame, path } = next;
    if (isThere(frame["error"])) continue;
    const type = String(frame["type"]).toUpperCase();
    const to = readOptionalAddress(frame["to"], "frame to");
    if (type.startsWith("CREATE") && to !== null) created.add(to);
    const amountAtomic = readOptionalQuantity(frame["value"], "frame value");
    if (movingTypes.has(type) && amountAtomic > 0n) {
      const from = readAddress(frame["from"], "frame from");
      const tracePath = path.join(".");
      add(transfers, { type, from, to, amountAtomic, tracePath, created });
    }
    waiting.push(...childrenOf(frame, path));
  }
  return transfers;
}

/** The last child first, so that the first one is taken next. */
function childrenOf(frame: RpcObject, path: readonly number[]) {
  const calls = readList(frame["calls"] ?? [], "calls");
  return calls
    .map((call, index) => ({ frame: readObject(call, "frame"), path: [...path, index] }))
    .reverse();
}

type Frame = Omit<InternalTransfer, "to"> & {
  type: string;
  to: Address | null;
  created: ReadonlySet<Address>;
};

function add(transfers: InternalTransfer[], frame: Frame): void {
  const { type, from, amountAtomic, tracePath } = frame;
  if (frame.to === null) return;
  // To itself: the coin stays (EIP-6780), unless the contract was made in this very transaction: then it is burned.
  if (type === "SELFDESTRUCT" && frame.to === from) {
    if (frame.created.has(from)) transfers.push({ from, to: burned, amountAtomic, tracePath });
    return;
  }
  transfers.push({ from, to: frame.to, amountAtomic, tracePath });
}

const burned: Address = "0x0000000000000000000000000000000000000000";

/**
 * Reads an answer of `trace_block`: one list for the whole block, each trace with its place in its transaction's tree.
 * The same rules; every trace must carry the block's hash and every transaction must have its top trace.
 * @throws Fault `rpc_inconsistent`
 */
export function readParityTraces(answered: Answered, answer: unknown): BlockTransfers {
  const { block, receipts } = answered;
  const states = block.transactions.map(() => ({
    isTopSeen: false,
    failed: new Set<string>(),
    created: new Set<Address>(),
    transfers: [] as InternalTransfer[],
  }));
  for (const element of readList(answer, "traces")) {
    const trace = readObject(element, "trace");
    if (readHash(trace["blockHash"], "trace's blockHash") !== block.hash)
      throw refusedBlock(block, "a trace is of another block");
    if (!isThere(trace["transactionHash"])) continue;
    const index = Number(readQuantity(trace["transactionPosition"], "transactionPosition"));
    const state = states[index];
    const hash = readHash(trace["transactionHash"], "trace's transactionHash");
    if (state === undefined || block.transactions[index]?.hash !== hash)
      throw refusedBlock(block, `a trace is of transaction ${hash}, which is not at ${index}`);
    const path = readList(trace["traceAddress"], "traceAddress").map(Number);
    if (path.length === 0) state.isTopSeen = true;
    if (isThere(trace["error"])) state.failed.add(path.join("."));
    if (receipts[index]?.isSuccess !== true || isBelow(state.failed, path)) continue;
    addParity(trace, path, state);
  }
  const missing = states.findIndex((state) => !state.isTopSeen);
  if (missing !== -1) throw refusedBlock(block, `transaction ${missing} has no trace`);
  return states.map((state) => state.transfers);
}

/** Whether the frame or one above it is among those. */
function isBelow(failed: ReadonlySet<string>, path: readonly number[]): boolean {
  if (failed.size === 0) return false;
  return [...path, -1].some((_, length) => failed.has(path.slice(0, length).join(".")));
}

function addParity(
  trace: RpcObject,
  path: readonly number[],
  state: { created: Set<Address>; transfers: InternalTransfer[] },
): void {
  const { created, transfers } = state;
  const action = readObject(trace["action"], "action");
  const tracePath = path.join(".");
  const common = { tracePath, created };
  switch (trace["type"]) {
    case "create": {
      const result = readObject(trace["result"], "create result");
      const to = readAddress(result["address"], "created address");
      created.add(to);
      const amountAtomic = readQuantity(action["value"], "create value");
      if (path.length === 0 || amountAtomic === 0n) return;
      const from = readAddress(action["from"], "create from");
      add(transfers, { ...common, type: "CREATE", from, to, amountAtomic });
      return;
    }
    case "suicide": {
      const from = readAddress(action["address"], "destroyed address");
      const to = readAddress(action["refundAddress"], "refundAddress");
      const amountAtomic = readQuantity(action["balance"], "destroyed balance");
      if (amountAtomic === 0n) return;
      add(transfers, { ...common, type: "SELFDESTRUCT", from, to, amountAtomic });
      return;
    }
    case "call": {
      const amountAtomic = readQuantity(action["value"], "call value");
      if (path.length === 0 || action["callType"] !== "call" || amountAtomic === 0n) return;
      const from = readAddress(action["from"], "call from");
      const to = readAddress(action["to"], "call to");
      add(transfers, { ...common, type: "CALL", from, to, amountAtomic });
      return;
    }
  }
}

/** Some clients write an empty error where there is none. */
function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
