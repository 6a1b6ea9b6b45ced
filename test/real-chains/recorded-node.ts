import { RpcRequestError } from "viem";
import type { RpcCall } from "../../src/chain/rpc/rpc-call.ts";
import type { RpcTransport } from "../../src/chain/rpc/rpc-transport.ts";
import type { Sample } from "../support/chain/sample.ts";

/**
 * A node that knows one recorded block and answers what was recorded of it. What was not, it does
 * not offer.
 */
export function recordedNode(sample: Sample): RpcTransport {
  const request = async ({ method, params }: RpcCall): Promise<unknown> => {
    const answer = answerOf(sample, method, params);
    if (answer !== null) return answer;
    const error = { code: -32601, message: `the method ${method} does not exist` };
    throw new RpcRequestError({ body: { method, params }, error, url: "recorded" });
  };
  return {
    request,
    requestBatched: request,
    subscribeHeads: null,
    drop() {},
    close() {},
  };
}

function answerOf(sample: Sample, method: string, params: readonly unknown[]): unknown {
  switch (method) {
    case "eth_chainId":
      return `0x${sample.chainId.toString(16)}`;
    case "eth_getBlockByNumber":
      return params[0] === "latest" || BigInt(String(params[0])) === sample.number
        ? sample.block
        : null;
    case "eth_getBlockReceipts":
      return sample.receipts ?? [];
    case "debug_traceBlockByHash":
      return sample.debugTraces;
    case "trace_block":
      return sample.parityTraces;
    default:
      return null;
  }
}
