// A business's receiver in a process of its own: keeps what arrived, by notification, and tells it when asked.
import { createServer } from "node:http";

/** By the notification's id: its transaction, its amount, and how often it came. */
const arrived = new Map();

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { id, event, data } = JSON.parse(Buffer.concat(chunks));
    const known = arrived.get(id);
    if (known === undefined) {
      arrived.set(id, { event, txHash: data.txHash, amount: data.amount, times: 1 });
    } else known.times += 1;
    response.writeHead(204).end();
  });
});
process.on("message", (question) =>
  process.send(question === "count" ? { count: arrived.size } : { arrived: [...arrived.values()] }),
);
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
