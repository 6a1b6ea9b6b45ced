import type { Misbehave } from "./rpc-proxy.ts";

/** A field that no version of Chainbell knows. */
export const unknownField = "accountTreeRoot";

/**
 * A node after a fork of the future: from a block on, its headers have a field more, which their
 * hashes cover. As nobody here can rebuild such a hash, what the header says of the state is
 * changed instead: the rest of the block stays true.
 */
export function forkAt(number: bigint): Misbehave {
  return async ({ method, params }, forward) => {
    if (method !== "eth_getBlockByNumber") return null;
    const block = (await forward()) as Record<string, string> | null;
    if (block === null || BigInt(block["number"] ?? "0x0") < number) return null;
    const [at] = params;
    // Of the head only its place is asked for.
    if (at === "latest") return null;
    return { result: { ...block, stateRoot: `0x${"5e".repeat(32)}`, [unknownField]: "0x1" } };
  };
}

/**
 * A node whose transactions are, from a block on, of a type that nobody knows: their own hashes,
 * and so the root of the transactions, cannot be rebuilt. `receipts too`: nor can their receipts.
 */
export function ofUnknownType(what: "transactions" | "receipts too") {
  const retyped = (list: unknown) =>
    (list as object[]).map((one) => (typeof one === "object" ? { ...one, type: "0x55" } : one));
  return (number: bigint): Misbehave =>
    async ({ method, params }, forward) => {
      if (method === "eth_getBlockReceipts" && what === "receipts too")
        return { result: retyped(await forward()) };
      if (method !== "eth_getBlockByNumber" || params[1] !== true) return null;
      const block = (await forward()) as { number: string; transactions: object[] };
      if (BigInt(block.number) < number) return null;
      return { result: { ...block, transactions: retyped(block.transactions) } };
    };
}
