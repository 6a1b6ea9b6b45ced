// The floor of the latency: each head that is announced, the token's transfers of that block, and a
// POST for each. Nothing is proved, stored, signed or tried again.
import { Pool } from "undici";
import { keccak256, type RpcLog, toHex } from "viem";
import { givenTo, serveParent } from "../process/serve-parent.ts";
import { type Head, watchHeads } from "../support/watch-heads.ts";

const { wsUrl, token, port } = givenTo<"bare-loop">();
const receiver = new Pool(`http://127.0.0.1:${port}`, { connections: 50 });
const transfer = keccak256(toHex("Transfer(address,address,uint256)"));

const client = await watchHeads(wsUrl, onHead);
serveParent<"bare-loop">(null);

async function onHead({ hash }: Head): Promise<void> {
  const address = token as `0x${string}`;
  const filter = { blockHash: hash, address, topics: [transfer] };
  const logs = await client.request({ method: "eth_getLogs", params: [filter] });
  await Promise.all(logs.map(post));
}

async function post({ blockNumber, transactionHash, topics, data }: RpcLog): Promise<void> {
  const body = JSON.stringify({
    data: {
      blockNumber: Number(blockNumber),
      txHash: transactionHash,
      to: topics[2],
      amount: data,
    },
  });
  const headers = { "content-type": "application/json" };
  const answer = await receiver.request({ path: "/hook", method: "POST", headers, body });
  await answer.body.dump();
}
