import { Fault } from "../../../domain/fault.ts";
import { type Endpoint, failureKindIn } from "../../endpoints/endpoint.ts";
import { refusedBlock } from "../../proof/refuse-block.ts";
import type { RpcBlock, RpcLog } from "../../rpc/rpc-block.ts";
import { readObject, readQuantity } from "../../rpc/rpc-value.ts";
import { fetchReceipts } from "./load-block.ts";
import { isAsked, type LogQuery } from "./log-range.ts";

// Nodes forget old logs, and index new ones late. Some then answer eth_getLogs with what they have, as if there were no more:
// where nothing else shows that there is nothing, that would be a lost deposit.

/**
 * Asks the endpoint from which block on it has logs, where it says so (`eth_capabilities`, ethereum/execution-apis#755).
 * @throws Fault `rpc_unavailable` where that is above the range: another endpoint may have them
 */
export async function requireLogs(endpoint: Endpoint, { from }: LogQuery): Promise<void> {
  if (!endpoint.learned.hasCapabilities) return;
  const oldest = await askOldestLogs(endpoint);
  if (oldest === null || oldest <= from) return;
  throw new Fault(
    "rpc_unavailable",
    `Endpoint ${endpoint.name} has logs from block ${oldest} on, not of block ${from}: add one that has them.`,
    { facts: { endpoint: endpoint.name, failure: "refused" } },
  );
}

/** Null: it does not say, or has all of them. */
async function askOldestLogs(endpoint: Endpoint): Promise<bigint | null> {
  try {
    const call = { method: "eth_capabilities", params: [] };
    const { logs } = readObject(await endpoint.ask("what it has", call), "capabilities");
    const { oldestBlock } = readObject(logs, "capabilities of logs");
    return oldestBlock === undefined || oldestBlock === null
      ? null
      : readQuantity(oldestBlock, "oldestBlock");
  } catch (error) {
    const kind = failureKindIn(error);
    if (kind !== "unsupported" && kind !== "refused") throw error;
    endpoint.learned.hasCapabilities = false;
    return null;
  }
}

/**
 * Holds the logs of a range against the receipts of its first and its last block that has transactions.
 * @throws Fault `rpc_inconsistent` where the endpoint no longer has those receipts, or they have a log that is not among
 *   the logs of the range
 */
export async function holdEnds(
  endpoint: Endpoint,
  query: LogQuery,
  of: { ends: readonly RpcBlock[]; logs: readonly RpcLog[] },
): Promise<void> {
  const known = new Set(of.logs.map(placeOf));
  await Promise.all(
    of.ends.map(async (block) => {
      const receipts = await fetchReceipts(endpoint, block);
      if (receipts.length !== block.transactions.length)
        throw refusedBlock(block, `the endpoint has ${receipts.length} of its receipts`);
      const logs = receipts.flatMap((receipt) => receipt.logs);
      const missing = logs.find((log) => isAsked(log, query) && !known.has(placeOf(log)));
      if (missing === undefined) return;
      const at = `log ${missing.logIndex} of contract ${missing.address}`;
      throw refusedBlock(
        block,
        `eth_getLogs leaves out ${at}: the endpoint does not have all logs`,
      );
    }),
  );
}

function placeOf({ blockHash, logIndex }: RpcLog): string {
  return `${blockHash} ${logIndex}`;
}
