import type { Address } from "../../../domain/chain/address.ts";
import type { Hash } from "../../../domain/chain/block.ts";
import { faultIn } from "../../../domain/fault.ts";
import { type Endpoint, failureKindIn, isGoneIn } from "../../endpoints/endpoint.ts";
import { parseLog, type RpcLog } from "../../rpc/rpc-block.ts";
import { readList, toQuantity } from "../../rpc/rpc-value.ts";
import { isTooWide, suggestedBlocks } from "../../rpc/suggested-range.ts";

/** The most blocks of one request. No common provider accepts more. */
const maxLogBlocks = 10_000;

/** Each answer to a full range multiplies the size of the next range by this. */
const growth = 1.5;

export type LogQuery = {
  from: bigint;
  to: bigint;
  /**
   * Addresses of contracts. Wallets are never named: they are too many, and a provider must not
   * learn them.
   */
  addresses: readonly Address[];
  /** The first topic must be one of these. */
  topics: readonly Hash[];
};

/**
 * Reads the logs of a range in order, by eth_getLogs, in as many pieces as the endpoint needs. A
 * piece that is refused or too slow is asked for again with fewer blocks. It has as many as the
 * refusal suggests, else half. The endpoint's record keeps the size that worked.
 * @param ofBlock reads all logs of a single block with too many logs for one answer
 * @throws Fault `rpc_unavailable` if even a single block is refused for another reason;
 *   `rpc_inconsistent`
 */
export async function readLogs(
  endpoint: Endpoint,
  query: LogQuery,
  ofBlock: (number: bigint) => Promise<RpcLog[]>,
): Promise<RpcLog[]> {
  const { capabilities } = endpoint;
  const logs: RpcLog[] = [];
  for (let from = query.from; from <= query.to; ) {
    const last = from + BigInt(capabilities.logBlocks) - 1n;
    const to = last < query.to ? last : query.to;
    try {
      for (const log of await askLogs(endpoint, { ...query, from, to })) logs.push(log);
      if (to === last)
        capabilities.logBlocks = Math.min(maxLogBlocks, Math.ceil(growth * capabilities.logBlocks));
      from = to + 1n;
    } catch (error) {
      const smaller = smallerRange(error, { from, to });
      if (smaller === null) throw error;
      if (smaller > 0) {
        capabilities.logBlocks = smaller;
        continue;
      }
      for (const log of await ofBlock(from)) if (isAsked(log, query)) logs.push(log);
      from += 1n;
    }
  }
  return logs;
}

async function askLogs(endpoint: Endpoint, query: LogQuery): Promise<RpcLog[]> {
  const { from, to, addresses, topics } = query;
  const filter = {
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
    address: addresses,
    topics: [topics],
  };
  const call = { method: "eth_getLogs", params: [filter] };
  const answer = await endpoint.ask(`logs of blocks ${from} to ${to}`, call);
  return readList(answer, "logs").map(parseLog);
}

/**
 * The number of blocks to ask for instead. 0: even one block is too much. Null: the range is not
 * the cause.
 */
function smallerRange(error: unknown, asked: { from: bigint; to: bigint }): number | null {
  const kind = failureKindIn(error);
  const reason = faultIn(error)?.message ?? "";
  const isLate = kind === "unreachable" && /too long|too large/.test(reason);
  // A smaller range does not help if the endpoint has deleted the logs.
  const isRefused = (kind === "refused" && !isGoneIn(error)) || isLate;
  if (!isRefused) return null;
  const size = Number(asked.to - asked.from) + 1;
  if (size > 1) return suggestedBlocks(reason, asked) ?? Math.floor(size / 2);
  return isLate || isTooWide(reason) ? 0 : null;
}

/** True if the query matches the log. */
export function isAsked(log: RpcLog, { addresses, topics }: LogQuery): boolean {
  const [topic] = log.topics;
  return topic !== undefined && topics.includes(topic) && addresses.includes(log.address);
}
