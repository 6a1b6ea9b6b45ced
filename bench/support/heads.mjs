import { createPublicClient, webSocket } from "viem";

/** A socket to a node, and every head that it announces; `onHead` is called with a header as the node tells it. */
export async function watchHeads(wsUrl, onHead) {
  const client = createPublicClient({ transport: webSocket(wsUrl) });
  await client.transport.subscribe({
    params: ["newHeads"],
    onData: ({ result }) => onHead(result),
    onError: (error) => {
      throw error;
    },
  });
  return client;
}
