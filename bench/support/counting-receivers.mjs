// Receivers that answer 204 after a while, each on a port of its own, in a process of their own so that they cost the
// sender nothing of its event loop. Usage, by fork: counting-receivers.mjs <how many> <answered after ms>
// Sends its ports once it listens. To `{ expect }` it sends, once that many distinct notifications have arrived,
// `{ lastAtMs, posts }`: when the last came, and how many requests there were; then it counts from zero.
import { once } from "node:events";
import { createServer } from "node:http";

const [count, answerAfterMs] = process.argv.slice(2).map(Number);
let heard = new Set();
let posts = 0;
let expected = Number.POSITIVE_INFINITY;

const answer = (response) => response.writeHead(204).end();

function hear(request, response) {
  request.resume();
  request.once("end", () => {
    posts += 1;
    heard.add(request.headers["webhook-id"]);
    if (answerAfterMs === 0) answer(response);
    else setTimeout(answer, answerAfterMs, response);
    tellWhenAll();
  });
}

function tellWhenAll() {
  if (heard.size < expected) return;
  process.send({ lastAtMs: Date.now(), posts });
  heard = new Set();
  posts = 0;
  expected = Number.POSITIVE_INFINITY;
}

process.on("message", ({ expect }) => {
  expected = expect;
  tellWhenAll();
});
process.on("disconnect", () => process.exit());

const ports = [];
for (let n = 0; n < count; n += 1) {
  const server = createServer({ keepAliveTimeout: 60_000 }, hear).listen(0, "127.0.0.1");
  await once(server, "listening");
  ports.push(server.address().port);
}
process.send(ports);
