// The receiver of the latency benchmark, in a process of its own. It hears of each head itself, so that one clock says when
// a block was announced and when its notifications came. Argument: the node's websocket.
import { createServer } from "node:http";
import { watchHeads } from "./heads.mjs";

const [wsUrl] = process.argv.slice(2);
let announcedAt = new Map();
let arrivals = [];

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const atMs = performance.now();
    response.writeHead(204).end();
    arrivals.push({ block: Number(JSON.parse(Buffer.concat(chunks)).data.blockNumber), atMs });
  });
});

process.on("message", (question) => {
  if (question === "count") process.send({ count: arrivals.length });
  else {
    const latencies = arrivals.map(({ block, atMs }) => atMs - announcedAt.get(block));
    process.send({ latencies });
    announcedAt = new Map();
    arrivals = [];
  }
});
process.on("disconnect", () => process.exit());
await watchHeads(wsUrl, ({ number }) => announcedAt.set(Number(number), performance.now()));
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
