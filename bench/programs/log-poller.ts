// What many write first: asks for the newest block and for the token's transfers since, and POSTs
// each once. It keeps its place in memory, proves nothing, and tries nothing again.
import { setTimeout as sleep } from "node:timers/promises";
import { createPublicClient, http, parseAbiItem } from "viem";
import { givenTo, serveParent } from "../process/serve-parent.ts";

const { rpcUrl, token, wallets, url, pollMs } = givenTo<"log-poller">();
const client = createPublicClient({ transport: http(rpcUrl) });
const event = parseAbiItem(
  "event Transfer(address indexed from, address indexed to, uint256 value)",
);

let next = (await client.getBlockNumber({ cacheTime: 0 })) + 1n;
serveParent<"log-poller">(null);

for (;;) {
  const newest = await client.getBlockNumber({ cacheTime: 0 });
  if (newest >= next) {
    const address = token as `0x${string}`;
    const to = wallets as readonly `0x${string}`[];
    const range = { fromBlock: next, toBlock: newest };
    const logs = await client.getLogs({ address, event, args: { to: [...to] }, ...range });
    next = newest + 1n;
    for (const { transactionHash, args } of logs)
      await post({ txHash: transactionHash, to: args.to, amount: String(args.value) });
  }
  await sleep(pollMs);
}

async function post(payment: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(payment) });
  await answer.arrayBuffer();
}
