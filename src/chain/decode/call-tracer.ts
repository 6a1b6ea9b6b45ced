import type { Address } from "../../domain/chain/address.ts";
import { isPrepaid, txTypes } from "../../domain/chain/tx-types.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import type { RpcBlock, RpcTransaction } from "../rpc/rpc-block.ts";
import {
  type RpcObject,
  readAddress,
  readHash,
  readList,
  readObject,
  readOptionalAddress,
  readOptionalQuantity,
} from "../rpc/rpc-value.ts";
import type { CoinMove } from "./income/movement-makers.ts";
import { readNitroTransfers } from "./nitro-transfers.ts";
import {
  addMove,
  type BlockTraces,
  burnsCoin,
  isThere,
  mayMove,
  requireDepth,
  requireFailed,
  type TracedBlock,
  type TracedTransaction,
  untouched,
} from "./trace-moves.ts";

/**
 * Frames that move the coin they name. DELEGATECALL, CALLCODE and STATICCALL move none, although
 * some clients show the value of the call around them.
 */
const movingTypes = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"]);

/**
 * Reads an answer of `debug_traceBlockByHash` with the callTracer. A failed frame and all frames
 * below it moved nothing. The top frame only repeats the transaction: it must match, and is left
 * out.
 * @throws Fault `rpc_inconsistent` if an element could not be traced, or is not of this block
 */
export function readDebugTraces(traced: TracedBlock, answer: unknown): BlockTraces {
  const { block, receipts, untraced } = traced;
  const elements = readList(answer, "traces");
  const expected = block.transactions.filter(({ hash }) => !untraced.has(hash)).length;
  if (elements.length !== block.transactions.length && elements.length !== expected) {
    const found = `${block.transactions.length} transactions, but ${elements.length} traces`;
    throw refusedBlock(block, found);
  }
  const transactions = block.transactions.map((transaction, index): TracedTransaction => {
    // An answer may only leave out traces at its end.
    if (elements[index] === undefined) return untouched;
    const root = rootOf(traced, { transaction, index, element: elements[index] });
    const nitro = readNitroTransfers(root, transaction);
    const receipt = receipts[index];
    if (!mayMove(transaction, receipt)) return nitro;
    if (isThere(root["error"])) requireFailed(block, index, receipt);
    return { ...nitro, moves: [...nitro.moves, ...movesBelow(block, root)] };
  });
  return { transactions, rewards: [] };
}

function rootOf(
  { block, untraced }: TracedBlock,
  traced: { transaction: RpcTransaction; index: number; element: unknown },
): RpcObject {
  const { transaction, index } = traced;
  const element = readObject(traced.element, "trace");
  if (isThere(element["error"])) throw refusedBlock(block, `trace ${index} failed`);
  const given = element["txHash"];
  if (isThere(given) && readHash(given, "trace's txHash") !== transaction.hash)
    throw refusedBlock(block, `trace ${index} is of another transaction`);
  const root = readObject(element["result"], "trace result");
  // The node makes up the top frame of a transaction that the chain itself runs, so it is not
  // compared.
  const isSystem = transaction.type === txTypes.stateSync || untraced.has(transaction.hash);
  const isSame =
    isSystem ||
    (readAddress(root["from"], "trace from") === transaction.from &&
      (isPrepaid(transaction.type) ||
        readOptionalQuantity(root["value"], "trace value") === transaction.value));
  if (!isSame) throw refusedBlock(block, `trace ${index} is not of its transaction`);
  return root;
}

/**
 * The moves below a frame, depth first. It does not recurse, because a call tree may be 1,024 deep
 * and more.
 */
function movesBelow(block: RpcBlock, root: RpcObject): CoinMove[] {
  const moves: CoinMove[] = [];
  const created = burnsCoin(block) ? new Set<Address>() : null;
  const noteCreated = (frame: RpcObject) => {
    const isCreation = typeOf(frame).startsWith("CREATE");
    const to = isCreation ? readOptionalAddress(frame["to"], "created address") : null;
    if (to !== null) created?.add(to);
  };
  noteCreated(root);
  const waiting = childrenOf(root, []);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { frame, path } = next;
    requireDepth(block, path.length);
    if (isThere(frame["error"])) continue;
    const type = typeOf(frame);
    const to = readOptionalAddress(frame["to"], "frame to");
    noteCreated(frame);
    const amountAtomic = readOptionalQuantity(frame["value"], "frame value");
    if (movingTypes.has(type) && amountAtomic > 0n) {
      const from = readAddress(frame["from"], "frame from");
      addMove(moves, { type, from, to, amountAtomic, tracePath: path.join("."), created });
    }
    waiting.push(...childrenOf(frame, path));
  }
  return moves;
}

function typeOf(frame: RpcObject): string {
  return String(frame["type"]).toUpperCase();
}

/** The children of a frame, last first, so that the first one is popped next. */
function childrenOf(frame: RpcObject, path: readonly number[]) {
  const calls = readList(frame["calls"] ?? [], "calls");
  return calls
    .map((call, index) => ({ frame: readObject(call, "frame"), path: [...path, index] }))
    .reverse();
}
