import { createPublicClient, type PublicClient, type WebSocketTransport, webSocket } from "viem";

export type Head = { number: string; hash: `0x${string}` };

/**
 * A socket to a node; `onHead` is called with every head that it announces, as the node writes it.
 */
export async function watchHeads(
  wsUrl: string,
  onHead: (head: Head) => unknown,
): Promise<PublicClient<WebSocketTransport>> {
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
