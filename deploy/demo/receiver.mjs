// What a business would run: prints each notification once. It believes everything, which yours
// must not: examples/receivers.
import { createServer } from "node:http";

const seen = new Set();

// As the first process of its container it gets no signal that it does not ask for.
process.on("SIGTERM", () => process.exit(0));

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  response.writeHead(204).end();
  const { id, event, data } = JSON.parse(body);
  if (seen.has(id)) return;
  seen.add(id);
  process.stdout.write(`${event} ${data.amount} ${data.asset} ${data.txHash}\n`);
}).listen(8080);
