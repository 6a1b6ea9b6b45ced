import { Fault } from "../../../domain/fault.ts";
import { type Endpoint, failureKindIn } from "../../endpoints/endpoint.ts";
import { refusedBlock } from "../../proof/refuse-block.ts";
import type { RpcBlock, RpcLog } from "../../rpc/rpc-block.ts";
import { readObject, readQuantity } from "../../rpc/rpc-value.ts";
import { fetchReceipts } from "./load-block.ts";
import { isAsked, type LogQuery, readLogs } from "./log-range.ts";

// Nodes delete old logs, and index new ones late. Some then answer eth_getLogs with the logs that
// they have, as if there were no others. Without a further check a deposit would be lost.

/** Says from which block on an endpoint has data. Some refuse it in words of their own. */
const capabilitiesMethod = "eth_capabilities";

/**
 * Checks that the endpoint has logs from the range's first block on. Only an endpoint that tells
 * its oldest logs can be checked (`eth_capabilities`, ethereum/execution-apis#755).
 * @throws Fault `rpc_unavailable` if its logs begin later. Another endpoint may have them
 */
export async function requireLogs(endpoint: Endpoint, { from }: LogQuery): Promise<void> {
  if (!endpoint.offers(capabilitiesMethod)) return;
  const oldest = await askOldestLogs(endpoint);
  if (oldest === null || oldest <= from) return;
  throw new Fault(
    "rpc_unavailable",
    `Endpoint ${endpoint.name} has logs from block ${oldest} on, not of block ${from}: add one that has them.`,
    { facts: { endpoint: endpoint.name, failure: "refused" } },
  );
}

/** The endpoint's oldest block with logs. Null: it does not say, or has all logs. */
async function askOldestLogs(endpoint: Endpoint): Promise<bigint | null> {
  try {
    const call = { method: capabilitiesMethod, params: [] };
    const { logs } = readObject(await endpoint.ask("what it has", call), "capabilities");
    const { oldestBlock } = readObject(logs, "capabilities of logs");
    return oldestBlock === undefined || oldestBlock === null
      ? null
      : readQuantity(oldestBlock, "oldestBlock");
  } catch (error) {
    const kind = failureKindIn(error);
    if (kind !== "unsupported" && kind !== "refused") throw error;
    endpoint.refuse(capabilitiesMethod);
    return null;
  }
}

/**
 * Compares the logs of a range with the receipts of its first and last block that have
 * transactions.
 * @throws Fault `rpc_inconsistent` if those receipts are gone, or have a log that the range lacks
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
      refuseMissing(
        block,
        logs.filter((log) => isAsked(log, query) && !known.has(placeOf(log))),
      );
    }),
  );
}

/** Throws if the endpoint left logs of the block out. `missing`: the first of them. */
function refuseMissing(block: RpcBlock, [missing]: readonly RpcLog[]): void {
  if (missing === undefined) return;
  const at = `log ${missing.logIndex} of contract ${missing.address}`;
  throw refusedBlock(block, `eth_getLogs leaves out ${at}: the endpoint does not have all logs`);
}

/** Of this many successive blocks with transactions but without logs of ours, one is checked. */
const silentBlocks = 16;

/**
 * Looks for holes among blocks for which a range had no logs. Of every `silentBlocks` successive
 * blocks it checks the one that used most gas. None of that block's receipts may have a log that
 * the query asks for. Then it asks eth_getLogs for one log of the receipts by itself. A node that
 * has lost or not indexed the block does not find that log.
 *
 * So a hole of twice as many blocks is always found, if its blocks have any logs. The receipts show
 * it too if the second question reaches another node behind the same URL.
 * @param blocks with transactions, oldest first
 * @throws Fault `rpc_inconsistent` as holdEnds
 */
export async function holdSilence(
  endpoint: Endpoint,
  query: LogQuery,
  blocks: readonly RpcBlock[],
): Promise<void> {
  const looked: RpcBlock[] = [];
  for (let first = 0; first < blocks.length; first += silentBlocks)
    looked.push(...busiestOf(blocks.slice(first, first + silentBlocks)));
  await Promise.all(looked.map((block) => holdLog(endpoint, query, block)));
}

async function holdLog(endpoint: Endpoint, range: LogQuery, block: RpcBlock): Promise<void> {
  const logs = (await fetchReceipts(endpoint, block)).flatMap((receipt) => receipt.logs);
  refuseMissing(
    block,
    logs.filter((log) => isAsked(log, range)),
  );
  const known = logs.find(({ topics }) => topics.length > 0);
  const [topic] = known?.topics ?? [];
  if (known === undefined || topic === undefined) return;
  const alone = { from: block.number, to: block.number };
  const query = { ...alone, addresses: [known.address], topics: [topic] };
  const found = await readLogs(endpoint, query, async () => logs);
  if (found.some((log) => placeOf(log) === placeOf(known))) return;
  throw refusedBlock(block, "eth_getLogs does not find its logs: the endpoint does not have all");
}

/** The block that used most gas. */
function busiestOf(blocks: readonly RpcBlock[]): RpcBlock[] {
  const gasOf = ({ raw }: RpcBlock) => readQuantity(raw["gasUsed"] ?? "0x0", "gasUsed");
  return blocks.toSorted((a, b) => (gasOf(a) < gasOf(b) ? 1 : -1)).slice(0, 1);
}

function placeOf({ blockHash, logIndex }: RpcLog): string {
  return `${blockHash} ${logIndex}`;
}
