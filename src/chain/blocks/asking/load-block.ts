import type { BlockHeader, Position } from "../../../domain/chain/block.ts";
import type { Tracing, TracingChoice } from "../../../domain/chain/block-proof.ts";
import type { ChainProfile } from "../../../domain/chain/profile.ts";
import { Fault } from "../../../domain/fault.ts";
import type { BlockAnswer } from "../../../domain/watch/chain-source.ts";
import { isCoinLogged } from "../../decode/coin-logs.ts";
import type { DecodeRules } from "../../decode/decode-block.ts";
import { type Endpoint, failureKindIn } from "../../endpoints/endpoint.ts";
import type { ProofRules } from "../../proof/prove-block.ts";
import {
  type AnnouncedHead,
  type ListedHeader,
  parseBlock,
  parseReceipt,
  type RpcBlock,
  type RpcReceipt,
} from "../../rpc/rpc-block.ts";
import { readHash, readList, readObject, readQuantity, toQuantity } from "../../rpc/rpc-value.ts";

export type LoadRules = DecodeRules &
  ProofRules & {
    tracing: TracingChoice;
    profile: Pick<ChainProfile, "evidence" | "hasLogGaps" | "traces">;
  };

/** The parts of a block that separate requests ask for. */
type Parts = { receipts: RpcReceipt[]; tracing: Tracing; traces: unknown };

/** All parts of a block from one endpoint. Nothing is proved yet. */
export type BlockParts = Parts & { block: RpcBlock; host: string };

/**
 * Reads the block at a height with all its parts from one endpoint. Nothing is proved yet. Receipts
 * and traces are asked for by the block's hash. So a node without that very block cannot answer
 * with parts of another one.
 *
 * If the endpoint has announced the hash, all parts are asked for at once. They are used only if
 * the block has that hash. A block that this endpoint has answered before is not asked for again.
 * @throws Fault `rpc_inconsistent` if a part is missing, which names it; `rpc_unavailable`
 */
export async function readBlock(
  endpoint: Endpoint,
  number: bigint,
  rules: LoadRules,
  answered: BlockAnswer | null = null,
): Promise<BlockParts> {
  const announced = endpoint.announced?.number === number ? endpoint.announced : null;
  const [block, early] = await Promise.all([
    askFullBlock(endpoint, number, { answered }),
    announced === null || announced.isEmpty ? null : askEarly(endpoint, announced, rules),
  ]);
  // The announcement is only a hint. A block without coin logs must be read with its traces.
  const isOfBlock =
    early !== null &&
    block.hash === announced?.hash &&
    block.accessListHash === announced.accessListHash;
  const { host } = endpoint;
  return isOfBlock ? { block, host, ...early } : readParts(endpoint, block, rules);
}

/**
 * The way to trace this block. Not at all if logs show every move of its coin (EIP-7708), unless
 * the operator has configured traces by name.
 * @throws Fault `rpc_unavailable`
 */
export async function tracingOf(
  endpoint: Endpoint,
  block: ListedHeader,
  rules: LoadRules,
): Promise<Tracing> {
  const { tracing, proof, aliases } = rules;
  const isSpared = tracing === "auto" && proof.header && isCoinLogged(block, aliases);
  return isSpared ? "off" : resolveTracing(endpoint, rules);
}

/**
 * A block with its transactions, by height. It is the endpoint's earlier answer, if there is one.
 * Nothing is proved yet.
 */
export async function askFullBlock(
  endpoint: Endpoint,
  number: bigint,
  { how = "alone", answered = null }: { how?: "alone" | "batched"; answered?: BlockAnswer | null },
): Promise<RpcBlock> {
  const answer =
    answered?.endpoint === endpoint.name
      ? answered.answer
      : await askBlock(endpoint, toQuantity(number), true, how);
  return requireNumber(endpoint, parseBlock(answer), number);
}

/** @throws Fault `rpc_inconsistent` if the endpoint answered with a block of another height */
export function requireNumber<Block extends { number: bigint }>(
  endpoint: Pick<Endpoint, "name">,
  block: Block,
  number: bigint,
): Block {
  if (block.number === number) return block;
  throw new Fault(
    "rpc_inconsistent",
    `Asked for block ${number}, endpoint ${endpoint.name} answered with ${block.number}.`,
  );
}

/** Adds receipts and traces to a block. See readBlock. */
export async function readParts(
  endpoint: Endpoint,
  block: RpcBlock,
  rules: LoadRules,
): Promise<BlockParts> {
  const tracing = await tracingOf(endpoint, block, rules);
  const isEmpty = block.transactions.length === 0;
  const isUntraced = isEmpty && rules.profile.traces !== "rewards";
  const [receipts, traces] = await Promise.all([
    isEmpty ? [] : fetchReceipts(endpoint, block),
    isUntraced || tracing === "off" ? null : askTraces(endpoint, block, tracing),
  ]);
  return { block, host: endpoint.host, receipts, tracing, traces };
}

/**
 * Reads receipts and traces by an announced hash, before the block itself is known. Null: they
 * could not be read, because the endpoint does not have them yet, or is on another branch. They are
 * asked for again once the block is known.
 */
async function askEarly(
  endpoint: Endpoint,
  announced: AnnouncedHead,
  rules: LoadRules,
): Promise<Parts | null> {
  try {
    const tracing = await tracingOf(endpoint, announced, rules);
    const [receipts, traces] = await Promise.all([
      askReceipts(endpoint, announced),
      tracing === "off" ? null : askTraces(endpoint, announced, tracing),
    ]);
    return receipts === null ? null : { receipts, tracing, traces };
  } catch (error) {
    const kind = failureKindIn(error);
    if (kind === "unreachable" || kind === "throttled") throw error;
    return null;
  }
}

/**
 * A block by height or tag.
 * @throws Fault `rpc_inconsistent` if the endpoint does not have it. That is normal at the head,
 *   behind a load balancer
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

export function headerOf({ number, hash, parentHash, timeMs }: RpcBlock): BlockHeader {
  return { number, hash, parentHash, timeMs };
}

/** The receipts of a block: in one request, or one by one if the endpoint does not offer that. */
export async function fetchReceipts(endpoint: Endpoint, block: RpcBlock): Promise<RpcReceipt[]> {
  const whole = await askReceipts(endpoint, block);
  if (whole !== null) return whole;
  const what = receiptsOf(block);
  return Promise.all(
    block.transactions.map(async ({ hash }) => {
      const call = { method: "eth_getTransactionReceipt", params: [hash] };
      const answer = await endpoint.ask(what, call, "batched");
      if (answer === null || answer === undefined) throw missing(endpoint, `receipt of ${hash}`);
      return parseReceipt(answer);
    }),
  );
}

/** The receipts of a block in one request; null: the endpoint does not offer that. */
async function askReceipts(endpoint: Endpoint, block: Position): Promise<RpcReceipt[] | null> {
  const method = "eth_getBlockReceipts";
  if (!endpoint.offers(method)) return null;
  try {
    const call = { method, params: [block.hash] };
    const answer = await endpoint.ask(receiptsOf(block), call);
    if (answer === null || answer === undefined) throw missing(endpoint, receiptsOf(block));
    return readList(answer, "receipts").map(parseReceipt);
  } catch (error) {
    if (failureKindIn(error) !== "unsupported") throw error;
    return null;
  }
}

function receiptsOf({ number }: Position): string {
  return `receipts of block ${number}`;
}

type TraceMode = Exclude<Tracing, "off">;

const traceMethods = { debug: "debug_traceBlockByHash", parity: "trace_block" } as const;

function traceCall(mode: TraceMode, { hash, number }: Position) {
  const method = traceMethods[mode];
  return mode === "debug"
    ? { method, params: [hash, { tracer: "callTracer" }] }
    : { method, params: [toQuantity(number)] };
}

async function askTraces(endpoint: Endpoint, block: Position, mode: TraceMode): Promise<unknown> {
  const what = `traces of block ${block.number}`;
  const answer = await endpoint.ask(what, traceCall(mode, block));
  if (answer === null || answer === undefined) throw missing(endpoint, what);
  endpoint.capabilities.hasTraced = true;
  return answer;
}

/**
 * The way to ask this endpoint for traces: as configured, or found out by tracing its head. Only an
 * endpoint that does not offer the method counts as having no traces. Any other failure is thrown.
 * An endpoint without traces is asked again after some time, and no block waits for that.
 * @throws Fault `rpc_unavailable`
 */
export async function resolveTracing(
  endpoint: Endpoint,
  { tracing, profile }: Pick<LoadRules, "tracing" | "profile">,
): Promise<Tracing> {
  if (tracing !== "auto") return tracing;
  const { capabilities } = endpoint;
  const modes: TraceMode[] =
    profile.traces === "rewards" ? ["parity", "debug"] : ["debug", "parity"];
  capabilities.tracing ??= await probeTracing(endpoint, modes);
  const { tracing: known } = capabilities;
  if (known === "off") void probeAgain(endpoint, modes);
  return known;
}

/**
 * Asks an endpoint without traces again, if one of the methods is due. Only an answer counts: a
 * failure says nothing new.
 */
async function probeAgain(endpoint: Endpoint, modes: readonly TraceMode[]): Promise<void> {
  const due = modes.filter((mode) => endpoint.offers(traceMethods[mode]));
  if (due.length === 0) return;
  // Until it answers, so that nobody else asks meanwhile.
  for (const mode of due) endpoint.refuse(traceMethods[mode]);
  try {
    const head = await askTracedHead(endpoint);
    for (const mode of due) {
      if (!(await isTraced(endpoint, head, mode))) continue;
      endpoint.capabilities.tracing = mode;
      return;
    }
  } catch {
    // An endpoint out of reach is reported when it is asked for blocks.
  }
}

function isTraced(endpoint: Endpoint, block: Position, mode: TraceMode): Promise<boolean> {
  return askTraces(endpoint, block, mode).then(
    () => true,
    () => false,
  );
}

async function askTracedHead(endpoint: Endpoint): Promise<Position> {
  const head = readObject(await askBlock(endpoint, "latest", false), "block");
  return {
    hash: readHash(head["hash"], "hash"),
    number: readQuantity(head["number"], "number"),
  };
}

async function probeTracing(endpoint: Endpoint, modes: readonly TraceMode[]): Promise<Tracing> {
  const block = await askTracedHead(endpoint);
  for (const mode of modes) {
    try {
      await endpoint.ask("whether it traces", traceCall(mode, block));
      return mode;
    } catch (error) {
      const kind = failureKindIn(error);
      // A refusal is about this block, such as a genesis. So the endpoint offers the method.
      if (kind === "refused") return mode;
      if (kind !== "unsupported") throw error;
    }
  }
  return "off";
}

function missing(endpoint: Endpoint, what: string): Fault {
  return new Fault("rpc_inconsistent", `Endpoint ${endpoint.name} does not have ${what}.`, {
    facts: { isAbsent: true },
  });
}
