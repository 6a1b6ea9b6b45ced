/** A call of JSON-RPC. */
export type RpcCall = { method: string; params: readonly unknown[] };
