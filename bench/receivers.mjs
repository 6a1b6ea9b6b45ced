// The receivers of a benchmark, in a process of their own: healthy at the first port, hanging at the second. Tells the
// parent, when asked, what has arrived.
import { createServer } from "node:http";

const [healthyPort, hangingPort] = process.argv.slice(2).map(Number);
let latencies = [];
let ids = [];

const healthy = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { id, at } = JSON.parse(Buffer.concat(chunks));
    latencies.push(Date.now() - at);
    ids.push(id);
    response.writeHead(204).end();
  });
}).listen(healthyPort, "127.0.0.1");
const hanging = createServer(() => {}).listen(hangingPort, "127.0.0.1");

process.on("message", (question) => {
  process.send({ latencies, ids });
  if (question === "forget") {
    latencies = [];
    ids = [];
  }
});
process.on("disconnect", () => process.exit());
await Promise.all(
  [healthy, hanging].map(
    (server) =>
      new Promise((resolve) => (server.listening ? resolve() : server.once("listening", resolve))),
  ),
);
process.send("ready");
