import type { BlockProof, Tracing, TracingChoice } from "../domain/block-proof.ts";
import { Fault } from "../domain/fault.ts";
import type { LoadedBlock } from "../domain/movement.ts";
import { type DecodeRules, decodeBlock } from "./decode-block.ts";
import { type Endpoint, failureKindIn } from "./endpoint.ts";
import { type BlockTransfers, readDebugTraces, readParityTraces } from "./internal-transfers.ts";
import type { Keccak } from "./keccak.ts";
import { proveBlock } from "./prove-block.ts";
import { parseBlock, parseReceipt, type RpcBlock, type RpcReceipt } from "./rpc-block.ts";
import { readList, readObject } from "./rpc-value.ts";
import { verifyBlock } from "./verify-block.ts";

export type LoadRules = DecodeRules & { proof: BlockProof; tracing: TracingChoice };

/**
 * The canonical block of a height, all of it from one endpoint: receipts and traces are asked for by the block's hash,
 * so that a node which does not have that very block cannot answer with another's.
 * @throws Fault `rpc_inconsistent` where a part is missing or does not hold, naming it; `rpc_unavailable`
 */
export async function loadBlock(
  endpoint: Endpoint,
  number: bigint,
  with_: { keccak: Keccak; rules: LoadRules },
): Promise<LoadedBlock> {
  const { keccak, rules } = with_;
  const block = parseBlock(await askBlock(endpoint, toHex(number), true));
  if (block.number !== number) {
    throw new Fault(
      "rpc_inconsistent",
      `Asked for block ${number}, endpoint ${endpoint.name} answered with ${block.number}.`,
    );
  }
  const tracing = await resolveTracing(endpoint, rules.tracing);
  const isEmpty = block.transactions.length === 0;
  const [receipts, traces] = await Promise.all([
    isEmpty ? [] : fetchReceipts(endpoint, block),
    isEmpty || tracing === "off" ? null : askTraces(endpoint, block, tracing),
  ]);
  const isRootProved = rules.proof.receipts === "root" || rules.proof.receipts === "root-op";
  verifyBlock(block, receipts, isRootProved);
  proveBlock(keccak, rules.proof, { block, receipts });
  const internals = traces === null ? null : readTraces({ block, receipts }, tracing, traces);
  const { hash, parentHash, timeMs } = block;
  return {
    header: { number, hash, parentHash, timeMs },
    movements: decodeBlock({ block, receipts, internals }, rules),
  };
}

/**
 * A block by height or tag.
 * @throws Fault `rpc_inconsistent` where the endpoint does not have it: normal at the head behind a load balancer
 */
export async function askBlock(
  endpoint: Endpoint,
  at: string,
  isFull: boolean,
  how: "alone" | "batched" = "alone",
): Promise<unknown> {
  const call = { method: "eth_getBlockByNumber", params: [at, isFull] };
  const answer = await endpoint.ask(`block ${at}`, call, how);
  if (answer === null || answer === undefined) throw missing(endpoint, `block ${at}`);
  return answer;
}

/** Of the whole block at once, or one by one where the endpoint does not offer that. */
async function fetchReceipts(endpoint: Endpoint, block: RpcBlock): Promise<RpcReceipt[]> {
  const what = `receipts of block ${block.number}`;
  if (endpoint.learned.hasBlockReceipts) {
    try {
      const call = { method: "eth_getBlockReceipts", params: [block.hash] };
      const answer = await endpoint.ask(what, call);
      if (answer === null || answer === undefined) throw missing(endpoint, what);
      return readList(answer, "receipts").map(parseReceipt);
    } catch (error) {
      if (failureKindIn(error) !== "unsupported") throw error;
      endpoint.learned.hasBlockReceipts = false;
    }
  }
  return Promise.all(
    block.transactions.map(async ({ hash }) => {
      const call = { method: "eth_getTransactionReceipt", params: [hash] };
      const answer = await endpoint.ask(what, call, "batched");
      if (answer === null || answer === undefined) throw missing(endpoint, `receipt of ${hash}`);
      return parseReceipt(answer);
    }),
  );
}

type TraceMode = Exclude<Tracing, "off">;

function traceCall(mode: TraceMode, block: { hash: string; number: bigint }) {
  const { hash, number } = block;
  return mode === "debug"
    ? { method: "debug_traceBlockByHash", params: [hash, { tracer: "callTracer" }] }
    : { method: "trace_block", params: [toHex(number)] };
}

async function askTraces(endpoint: Endpoint, block: RpcBlock, mode: TraceMode): Promise<unknown> {
  const what = `traces of block ${block.number}`;
  const answer = await endpoint.ask(what, traceCall(mode, block));
  if (answer === null || answer === undefined) throw missing(endpoint, what);
  return answer;
}

function readTraces(
  told: { block: RpcBlock; receipts: readonly RpcReceipt[] },
  mode: Tracing,
  answer: unknown,
): BlockTransfers {
  return mode === "parity" ? readParityTraces(told, answer) : readDebugTraces(told, answer);
}

/**
 * How this endpoint is asked for traces: as configured, or found out by asking for those of its head. Only that the
 * method is not offered means that there are none; any other failure is one.
 * @throws Fault `rpc_unavailable`
 */
export async function resolveTracing(endpoint: Endpoint, choice: TracingChoice): Promise<Tracing> {
  if (choice !== "auto") return choice;
  endpoint.learned.tracing ??= await probeTracing(endpoint);
  return endpoint.learned.tracing;
}

async function probeTracing(endpoint: Endpoint): Promise<Tracing> {
  const head = readObject(await askBlock(endpoint, "latest", false), "block");
  const block = { hash: String(head["hash"]), number: BigInt(String(head["number"])) };
  for (const mode of ["debug", "parity"] as const) {
    try {
      await endpoint.ask("whether it traces", traceCall(mode, block));
      return mode;
    } catch (error) {
      const kind = failureKindIn(error);
      // A refusal is about this block (a genesis cannot be traced): the method is there.
      if (kind === "refused") return mode;
      if (kind !== "unsupported") throw error;
    }
  }
  return "off";
}

function missing(endpoint: Endpoint, what: string): Fault {
  return new Fault("rpc_inconsistent", `Endpoint ${endpoint.name} does not have ${what}.`);
}

function toHex(number: bigint): string {
  return `0x${number.toString(16)}`;
}
