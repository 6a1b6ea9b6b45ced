import type { Hex, TransactionReceipt } from "viem";
import { formatTransactionReceipt, type Log, type RpcTransactionReceipt } from "viem";
import type { Hash } from "../domain/block.ts";
import { Fault } from "../domain/fault.ts";
import type { RpcClient } from "./rpc-client.ts";
import { asking, refusalIn } from "./rpc-fault.ts";

/** A full block as its endpoint tells it. */
export type RpcBlock = Awaited<ReturnType<typeof fetchBlock>>;

/** A receipt with the data fee of an OP-stack chain, which viem's own type leaves out. */
export type RpcReceipt = TransactionReceipt & { l1FeeAtomic: bigint };

export type RpcLog = Log<bigint, number, false>;

/** The canonical block of a height, with its transactions. */
export async function fetchBlock(client: RpcClient, number: bigint) {
  return asking(`block ${number}`, () =>
    client.getBlock({ blockNumber: number, includeTransactions: true }),
  );
}

/**
 * All receipts of a block, asked for by its hash, in order: a node that does not have that very block cannot answer with another's.
 * @throws Fault `rpc_inconsistent` when the endpoint does not know the block
 */
export async function fetchReceipts(client: RpcClient, hash: Hash): Promise<RpcReceipt[]> {
  const request = client.request as (call: {
    method: string;
    params: [Hash];
  }) => Promise<RawReceipt[] | null>;
  const receipts = await asking(`receipts of block ${hash}`, async () => {
    try {
      return await request({ method: "eth_getBlockReceipts", params: [hash] });
    } catch (error) {
      if (refusalIn(error)?.code === methodNotFound) throw unsupported();
      throw error;
    }
  });
  if (receipts === null) {
    throw new Fault(
      "rpc_inconsistent",
      `The endpoint has no receipts of block ${hash}, which it has just told.`,
    );
  }
  return receipts.map((raw) => ({
    ...formatTransactionReceipt(raw),
    l1FeeAtomic: raw.l1Fee === undefined || raw.l1Fee === null ? 0n : BigInt(raw.l1Fee),
  }));
}

type RawReceipt = RpcTransactionReceipt & { l1Fee?: Hex | null };

/** JSON-RPC 2.0, section 5.1. */
const methodNotFound = -32601;

function unsupported(): Fault {
  return new Fault(
    "rpc_unavailable",
    "The endpoint does not offer eth_getBlockReceipts, which Chainbell needs to prove a block: use one that does.",
  );
}
