import { Fault } from "../../../domain/fault.ts";
import { type Endpoint, failureKindIn } from "../../endpoints/endpoint.ts";
import { refusedBlock } from "../../proof/refuse-block.ts";
import type { RpcBlock, RpcLog } from "../../rpc/rpc-block.ts";
import { readObject, readQuantity } from "../../rpc/rpc-value.ts";
import { fetchReceipts } from "./load-block.ts";
import { isAsked, type LogQuery, readLogs } from "./log-range.ts";

// Nodes forget old logs, and index new ones late. Some nodes then answer eth_getLogs with the logs
// that they have, as if there were no more. Where nothing else shows that there are no more, a
// deposit would be lost.

/**
 * Asks the endpoint from which block on it has logs, where it says so (`eth_capabilities`,
 * ethereum/execution-apis#755).
 * @throws Fault `rpc_unavailable` where that is above the range: another endpoint may have them
 */
export async function requireLogs(endpoint: Endpoint, { from }: LogQuery): Promise<void> {
  if (!endpoint.capabilities.hasCapabilities) return;
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
    endpoint.capabilities.hasCapabilities = false;
    return null;
  }
}

/**
 * Holds the logs of a range against the receipts of its first and its last block that has
 * transactions.
 * @throws Fault `rpc_inconsistent` where the endpoint no longer has those receipts, or they have a
 *   log that is not among the logs of the range
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

/** Of so many blocks in a row with transactions and without logs of ours, one is looked at. */
const silentBlocks = 16;

/**
 * Looks for holes among blocks for which a range had no logs. Of every `silentBlocks` blocks in a
 * row, it takes the one that used most gas. It asks for the receipts of that block, and then for
 * one of their logs by itself. A node that has lost or not indexed a stretch in the middle of a
 * range does not find that log. So a hole of twice as many blocks is seen, as long as its blocks
 * have logs at all.
 * @param blocks with transactions, oldest first
 * @throws Fault `rpc_inconsistent` as holdEnds
 */
export async function holdSilence(endpoint: Endpoint, blocks: readonly RpcBlock[]): Promise<void> {
  const looked: RpcBlock[] = [];
  for (let first = 0; first < blocks.length; first += silentBlocks)
    looked.push(...busiestOf(blocks.slice(first, first + silentBlocks)));
  await Promise.all(looked.map((block) => holdLog(endpoint, block)));
}

async function holdLog(endpoint: Endpoint, block: RpcBlock): Promise<void> {
  const logs = (await fetchReceipts(endpoint, block)).flatMap((receipt) => receipt.logs);
  const known = logs.find(({ topics }) => topics.length > 0);
  const [topic] = known?.topics ?? [];
  if (known === undefined || topic === undefined) return;
  const alone = { from: block.number, to: block.number };
  const query = { ...alone, addresses: [known.address], topics: [topic] };
  const found = await readLogs(endpoint, query, async () => logs);
  if (found.some((log) => placeOf(log) === placeOf(known))) return;
  throw refusedBlock(block, "eth_getLogs does not find its logs: the endpoint does not have all");
}

/** The one that used most gas. */
function busiestOf(blocks: readonly RpcBlock[]): RpcBlock[] {
  const gasOf = ({ raw }: RpcBlock) => readQuantity(raw["gasUsed"] ?? "0x0", "gasUsed");
  return blocks.toSorted((a, b) => (gasOf(a) < gasOf(b) ? 1 : -1)).slice(0, 1);
}

function placeOf({ blockHash, logIndex }: RpcLog): string {
  return `${blockHash} ${logIndex}`;
}
