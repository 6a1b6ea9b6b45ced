import { Fault } from "../../domain/fault.ts";
import { onlyAnswered } from "../../domain/money/movement.ts";
import type { BlockAnswer, RangeRequest } from "../../domain/watch/chain-source.ts";
import type { BlockRange, RangeBlock, WatchFilter } from "../../domain/watch/watch-filter.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { findSenders, proveContents } from "../proof/prove-block.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import type { RpcBlock, RpcLog } from "../rpc/rpc-block.ts";
import { assemble } from "./asking/assemble.ts";
import { holdEnds, holdSilence, requireLogs } from "./asking/held-logs.ts";
import {
  askFullBlock,
  type BlockParts,
  fetchReceipts,
  headerOf,
  type LoadRules,
  readBlock,
  readParts,
  resolveTracing,
  tracingOf,
} from "./asking/load-block.ts";
import { readLogs } from "./asking/log-range.ts";
import { weighAnswer } from "./asking/weigh-answer.ts";
import { type JudgingTools, namesWallet, shownTopics, tokensOf } from "./rule-out.ts";

/**
 * Reads successive blocks of one endpoint, each proved by its hash and its parent. A block that may
 * match the watch filter is read like by `loadBlock`. Of other blocks it reads only what proves
 * that they do not match. If blocks are traced, each one with a transaction is read whole, because
 * only traces show transfers inside of contracts.
 * @throws Fault `rpc_inconsistent` if a part is missing or does not hold, which names it;
 *   `rpc_unavailable`
 */
export async function loadRange(
  asked: Endpoint,
  request: RangeRequest,
  tools: JudgingTools,
): Promise<BlockRange> {
  const { watchFilter } = request;
  const weighed = weighing(asked);
  const { endpoint } = weighed;
  const blocks = await askBlocks(endpoint, request);
  const finding = findSenders(tools.cryptography, tools.rules, blocks);
  const untraced = await untracedOf(endpoint, blocks, tools.rules);
  const ruledOut =
    watchFilter === null || untraced.length === 0
      ? new Set<RpcBlock>()
      : await finding.then(() => findRuledOut(endpoint, { blocks: untraced, watchFilter }, tools));
  const read = await Promise.all(
    blocks.map(async (block): Promise<RangeBlock> => {
      if (ruledOut.has(block)) return ruledOutBlock(block, endpoint.host);
      const parts = await readParts(endpoint, block, tools.rules);
      await finding;
      return { ...assemble(parts, tools), isWhole: true };
    }),
  );
  return { blocks: read, decodedBytes: weighed.bytes() };
}

/**
 * Reads one block of an endpoint, and those of its parts that are needed. It leaves the receipts
 * out if two things hold. No traces are read, and the block itself shows that it does not match the
 * watch filter.
 * @throws as loadRange
 */
export async function loadOne(
  endpoint: Endpoint,
  asked: {
    number: bigint;
    watchFilter: WatchFilter | null;
    /** The block of that height, if an endpoint has answered it already; else null. */
    answered: BlockAnswer | null;
    /** Called with the parts of a block that is read whole, before anything is proved. */
    keep: (parts: BlockParts) => void;
  },
  tools: JudgingTools,
): Promise<{ parts: BlockParts; loaded: RangeBlock }> {
  const { number, watchFilter, answered, keep } = asked;
  const { cryptography, rules } = tools;
  if (watchFilter === null || (await isExpectedTraced(endpoint, rules))) {
    const parts = await readBlock(endpoint, number, rules, answered);
    await findSenders(cryptography, rules, [parts.block]);
    keep(parts);
    return { parts, loaded: { ...assemble(parts, tools), isWhole: true } };
  }
  const block = await askFullBlock(endpoint, number, { answered });
  const isEmpty = block.transactions.length === 0;
  const isTraced = (await tracingOf(endpoint, block, rules)) !== "off";
  const mayHold = isTraced || tools.judgeOf(watchFilter)(block) !== "cannot";
  const finding = findSenders(cryptography, rules, [block]);
  if (isEmpty || mayHold) {
    const parts = await readParts(endpoint, block, rules);
    await finding;
    keep(parts);
    return { parts, loaded: { ...assemble(parts, tools), isWhole: true } };
  }
  await finding;
  proveContents(cryptography, rules, block);
  const parts: BlockParts = {
    block,
    host: endpoint.host,
    receipts: [],
    tracing: "off",
    traces: null,
  };
  return { parts, loaded: ruledOutBlock(block, endpoint.host) };
}

/** True if the next block will probably be traced, judged by the endpoint's newest header. */
async function isExpectedTraced(endpoint: Endpoint, rules: LoadRules): Promise<boolean> {
  const { announced } = endpoint;
  const tracing =
    announced === null ? resolveTracing(endpoint, rules) : tracingOf(endpoint, announced, rules);
  return (await tracing) !== "off";
}

/** The blocks that need no traces: they show everything without, or the chain has none. */
async function untracedOf(
  endpoint: Endpoint,
  blocks: readonly RpcBlock[],
  rules: LoadRules,
): Promise<RpcBlock[]> {
  const tracings = await Promise.all(blocks.map((block) => tracingOf(endpoint, block, rules)));
  return blocks.filter((_, index) => tracings[index] === "off");
}

/** A block without movements of ours. Nothing of it needs a proof. */
function ruledOutBlock(block: RpcBlock, host: string): RangeBlock {
  const header = headerOf(block);
  return { header, movements: [], evidence: onlyAnswered, host, isWhole: false };
}

/** The same endpoint, counting the bytes of its answers. */
function weighing(endpoint: Endpoint): { endpoint: Endpoint; bytes: () => number } {
  let bytes = 0;
  const ask: Endpoint["ask"] = async (...call) => {
    const answer = await endpoint.ask(...call);
    bytes += weighAnswer(answer);
    return answer;
  };
  return { endpoint: { ...endpoint, ask }, bytes: () => bytes };
}

async function askBlocks(endpoint: Endpoint, request: RangeRequest): Promise<RpcBlock[]> {
  const { from, to, isLight } = request;
  const numbers = Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));
  const how = isLight ? "batched" : "alone";
  const blocks = await Promise.all(
    numbers.map((number) => askFullBlock(endpoint, number, { how })),
  );
  for (const [index, block] of blocks.entries()) {
    const parent = blocks[index - 1];
    if (parent === undefined || block.parentHash === parent.hash) continue;
    throw new Fault(
      "rpc_inconsistent",
      `Blocks ${parent.number} and ${block.number} of endpoint ${endpoint.name} are of two branches.`,
    );
  }
  return blocks;
}

/**
 * The blocks with transactions that do not match the watch filter, proved as far as possible on the
 * chain.
 */
async function findRuledOut(
  endpoint: Endpoint,
  range: { blocks: readonly RpcBlock[]; watchFilter: WatchFilter },
  tools: JudgingTools,
): Promise<Set<RpcBlock>> {
  const { watchFilter } = range;
  const { cryptography, rules } = tools;
  const judge = tools.judgeOf(watchFilter);
  const ruledOut = new Set<RpcBlock>();
  const asked: RpcBlock[] = [];
  for (const block of range.blocks) {
    if (block.transactions.length === 0) continue;
    const verdict = judge(block);
    if (verdict === "may") continue;
    proveContents(cryptography, rules, block);
    if (verdict === "cannot") ruledOut.add(block);
    else asked.push(block);
  }
  const relevant = await findRelevant(endpoint, { ...range, asked }, rules);
  for (const block of asked) if (!relevant.has(block)) ruledOut.add(block);
  return ruledOut;
}

/** The blocks of a range with logs that name a watched wallet. */
async function findRelevant(
  endpoint: Endpoint,
  range: { blocks: readonly RpcBlock[]; asked: readonly RpcBlock[]; watchFilter: WatchFilter },
  rules: LoadRules,
): Promise<Set<RpcBlock>> {
  const { blocks, asked, watchFilter } = range;
  const [first] = asked;
  const last = asked.at(-1);
  if (first === undefined || last === undefined) return new Set();
  const addresses = tokensOf(rules, watchFilter);
  const query = { from: first.number, to: last.number, addresses, topics: shownTopics };
  await requireLogs(endpoint, query);
  const logs = await readLogs(endpoint, query, async (number) => {
    const block = blocks.find((one) => one.number === number);
    if (block === undefined) return [];
    return (await fetchReceipts(endpoint, block)).flatMap((receipt) => receipt.logs);
  });
  await holdEnds(endpoint, query, { ends: first === last ? [first] : [first, last], logs });
  const logged = new Set(logs.map((log) => log.blockHash));
  const isSilent = (block: RpcBlock) =>
    block !== first && block !== last && !logged.has(block.hash);
  await holdSilence(endpoint, query, asked.filter(isSilent));
  const byHash = new Map(blocks.map((block) => [block.hash, block]));
  const blockOf = (log: RpcLog) => {
    const block = byHash.get(log.blockHash);
    if (block !== undefined) return block;
    // The endpoint's answers are of two branches.
    throw refusedBlock(first, `logs from it on are of another block, ${log.blockHash}`);
  };
  return new Set(logs.flatMap((log) => (namesWallet(log, watchFilter) ? [blockOf(log)] : [])));
}
