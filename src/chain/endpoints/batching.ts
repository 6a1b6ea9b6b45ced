import type { RpcCall } from "../rpc/rpc-call.ts";
import { failureOf, type RpcFailure } from "../rpc/rpc-fault.ts";
import type { RpcTransport } from "../rpc/rpc-transport.ts";

/**
 * Sends calls of the same moment as one batch, until the endpoint turns out not to accept batches.
 * If a call failed in a way that may be due to its batch, it is sent again alone. If that succeeds,
 * all later calls go alone too.
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
 * True if a call may succeed alone: its batch got no readable answer, or was refused as a batch.
 */
function mayBeOfBatch({ kind, reason }: RpcFailure): boolean {
  if (kind === "unreachable") return !/took too long/i.test(reason);
  return kind !== "throttled" && /batch|-32600/i.test(reason);
}
