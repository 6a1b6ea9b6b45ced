import type { BlockHeader, Hash, Position } from "../domain/block.ts";
import { Fault } from "../domain/fault.ts";
import type { LoadedBlock } from "../domain/movement.ts";
import { decodeBlock } from "./decode-block.ts";
import { type Holding, readBalances } from "./read-balances.ts";
import { fetchBlock, fetchReceipts } from "./rpc-block.ts";
import {
  closeSockets,
  createRpcClient,
  isWebsocket,
  type RpcEndpoints,
  watchHeads,
} from "./rpc-client.ts";
import { asking } from "./rpc-fault.ts";
import { verifyBlock, verifyHeight } from "./verify-block.ts";

/**
 * One chain as its endpoints tell it. Every method is one question, safe to repeat, and fails with Fault `rpc_unavailable` or
 * `rpc_inconsistent`; nothing is cached, so that a reorg is never hidden.
 */
export function createChainSource(endpoints: RpcEndpoints) {
  const client = createRpcClient(endpoints);
  const websocketUrl = endpoints.urls.find(isWebsocket);

  async function header(number: bigint): Promise<BlockHeader> {
    const block = await asking(`header ${number}`, () => client.getBlock({ blockNumber: number }));
    verifyHeight(number, block);
    return toHeader(block);
  }

  return {
    header,

    /** The highest block the endpoints know. */
    async head(): Promise<Position> {
      const block = await asking("head", () => client.getBlock({ blockTag: "latest" }));
      return toHeader(block);
    },

    /** Which chain this is: its EIP-155 id and the hash of its first block. */
    async identity(): Promise<{ chainId: number; genesisHash: Hash }> {
      const [chainId, genesis] = await Promise.all([
        asking("chain id", () => client.getChainId()),
        header(0n),
      ]);
      return { chainId, genesisHash: genesis.hash };
    },

    /** Consecutive headers, oldest first. Each is the parent of the next, or the answer is refused. */
    async headers(from: bigint, to: bigint): Promise<BlockHeader[]> {
      const numbers = Array.from(
        { length: Number(to - from) + 1 },
        (_, index) => from + BigInt(index),
      );
      const headers = await Promise.all(numbers.map(header));
      headers.reduce((parent, child) => {
        if (child.parentHash !== parent.hash) {
          throw new Fault(
            "rpc_inconsistent",
            `Headers ${parent.number} and ${child.number} are of two branches.`,
          );
        }
        return child;
      });
      return headers;
    },

    /** The canonical block of a height: every movement in it, proved to belong together. */
    async loadBlock(number: bigint): Promise<LoadedBlock> {
      const block = await fetchBlock(client, number);
      verifyHeight(number, block);
      const receipts =
        block.transactions.length === 0 ? [] : await fetchReceipts(client, block.hash);
      verifyBlock(block, receipts);
      return { header: toHeader(block), movements: decodeBlock(block, receipts) };
    },

    /** See readBalances. */
    async balancesAt(blockHash: Hash, holdings: Holding[]): Promise<bigint[]> {
      return readBalances(client, blockHash, holdings);
    },

    /** See watchHeads; does nothing where no endpoint is a websocket. Returns how to stop it. */
    onAnnounced(wake: () => void): () => void {
      return websocketUrl === undefined
        ? () => {}
        : watchHeads(websocketUrl, endpoints.timeoutMs, wake);
    },

    /** Lets go of open sockets. */
    close(): void {
      closeSockets(endpoints);
    },
  };
}

type RpcHeader = { number: bigint | null; hash: Hash | null; parentHash: Hash; timestamp: bigint };

function toHeader(block: RpcHeader): BlockHeader {
  if (block.number === null || block.hash === null) {
    throw new Fault(
      "rpc_inconsistent",
      "The endpoint answered with a block that has no number or hash.",
    );
  }
  return {
    number: block.number,
    hash: block.hash,
    parentHash: block.parentHash,
    timeMs: Number(block.timestamp) * 1000,
  };
}
