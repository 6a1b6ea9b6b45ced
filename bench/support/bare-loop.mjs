// The floor of the latency benchmark, in a process of its own: each head that is announced, the token's transfers of that
// block, and a POST for each. Nothing is proved, stored, signed or tried again. Arguments: websocket, token, receiver's port.
import { Pool } from "undici";
import { keccak256, toHex } from "viem/utils";
import { watchHeads } from "./heads.mjs";

const [wsUrl, token, port] = process.argv.slice(2);
const receiver = new Pool(`http://127.0.0.1:${port}`, { connections: 50 });
const transfer = keccak256(toHex("Transfer(address,address,uint256)"));

const client = await watchHeads(wsUrl, async ({ hash }) => {
  const filter = { blockHash: hash, address: token, topics: [transfer] };
  const logs = await client.request({ method: "eth_getLogs", params: [filter] });
  await Promise.all(logs.map(notify));
});

async function notify({ blockNumber, transactionHash, topics, data }) {
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

process.on("disconnect", () => process.exit());
process.send("ready");
