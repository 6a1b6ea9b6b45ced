import type { Misbehave } from "./rpc-proxy.ts";

/** No endpoint has any state of the contract any more. */
export const forgettingStateOf =
  (contract: string): Misbehave =>
  ({ method, params }) =>
    ["eth_call", "eth_getProof"].includes(method) && JSON.stringify(params).includes(contract)
      ? { error: { code: -32_000, message: "missing trie node" } }
      : null;
