import { serveAnswers } from "../serve-answers.ts";
import type { AmsterdamChain, MadeBlock } from "./amsterdam-chain.ts";
import { type Json, quantity } from "./seal-block.ts";

/** A node of such a chain over HTTP, which also traces, proves states and gives access lists. */
export async function serveChain({ chainId, made, prove }: AmsterdamChain) {
  const byHash = (hash: unknown) => made.find(({ block }) => block["hash"] === hash);
  const at = (height: unknown) => (height === "latest" ? made.at(-1) : made[Number(height)]);
  const headOf = (found: MadeBlock | undefined, isFull: unknown): Json | null => {
    if (found === undefined) return null;
    const { block } = found;
    const hashes = (block["transactions"] as Json[]).map(({ hash }) => hash);
    return isFull === true ? block : { ...block, transactions: hashes };
  };
  const rootAt = (place: unknown) =>
    byHash((place as Json)["blockHash"])?.root ?? new Uint8Array(32);

  const methods: Record<string, (params: unknown[]) => unknown> = {
    eth_chainId: () => quantity(chainId),
    eth_blockNumber: () => quantity(made.length - 1),
    eth_getBlockByNumber: ([height, isFull]) => headOf(at(height), isFull),
    eth_getBlockByHash: ([hash, isFull]) => headOf(byHash(hash), isFull),
    eth_getBlockReceipts: ([hash]) => byHash(hash)?.receipts ?? null,
    debug_traceBlockByHash: ([hash]) => byHash(hash)?.traces ?? null,
    eth_getBlockAccessList: ([hash]) => byHash(hash)?.accessList ?? null,
    eth_getProof: ([address, , place]) => prove(String(address), rootAt(place)),
  };
  return serveAnswers(async (method, params) => methods[method]?.(params));
}
