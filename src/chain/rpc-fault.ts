import {
  BlockNotFoundError,
  HttpRequestError,
  RpcRequestError,
  SocketClosedError,
  TimeoutError,
  WebSocketRequestError,
} from "viem";
import { Fault } from "../domain/fault.ts";

/**
 * Runs a request and turns what viem throws into the Faults the rest of Chainbell knows: `rpc_unavailable` (no answer,
 * or a refusal that another moment or endpoint may not give), `rpc_inconsistent` (an answer that contradicts itself). URLs, which
 * often carry a provider's key, stay out of messages.
 */
export async function asking<T>(what: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (error instanceof BlockNotFoundError) {
      throw new Fault(
        "rpc_inconsistent",
        `The endpoint does not have the block it was asked for (${what}).`,
      );
    }
    throw new Fault(
      "rpc_unavailable",
      `The endpoint gave no usable answer (${what}): ${reasonOf(error)}.`,
    );
  }
}

/** The JSON-RPC error in a cause chain: the endpoint answered, with a refusal. */
export function refusalIn(error: unknown): RpcRequestError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof RpcRequestError) return cause;
  }
  return undefined;
}

function reasonOf(error: unknown): string {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return `error ${refusal.code}, ${refusal.details.replace(/\.$/, "")}`;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TimeoutError) return "it took too long";
    if (cause instanceof HttpRequestError && cause.status !== undefined)
      return `HTTP status ${cause.status}`;
    if (cause instanceof SocketClosedError || cause instanceof WebSocketRequestError)
      return "the connection closed";
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return "the connection failed";
}
