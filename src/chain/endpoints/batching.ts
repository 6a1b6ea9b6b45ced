import type { RpcCall } from "../rpc/rpc-call.ts";
import { failureOf, type RpcFailure } from "../rpc/rpc-fault.ts";
import type { RpcTransport } from "../rpc/rpc-transport.ts";

/**
 * Sends a call together with others of the same moment, until the endpoint shows that it takes no
 * batches. A call is sent again alone where it failed in a way that may be about its batch. Where
 * that succeeds, all later calls go alone, too.
 */
export function batchingOver(
  transport: Pick<RpcTransport, "request" | "requestBatched">,
  redact: (text: string) => string,
): (call: RpcCall) => Promise<unknown> {
  let takesBatches = true;
  return async (call) => {
    if (!takesBatches) return transport.request(call);
    try {
      return await transport.requestBatched(call);
    } catch (error) {
      if (!mayBeOfBatch(failureOf(error, redact))) throw error;
      const answer = await transport.request(call);
      takesBatches = false;
      return answer;
    }
  };
}

/**
 * True if a call might succeed alone: its batch had no answer that could be read, or was refused as
 * a batch.
 */
function mayBeOfBatch({ kind, reason }: RpcFailure): boolean {
  if (kind === "unreachable") return !/took too long/i.test(reason);
  return kind !== "throttled" && /batch|-32600/i.test(reason);
}
