// Receivers that answer 204 after a while, each on a port of its own. They count, and look at
// nothing but the id. A notification may come to several of them.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { givenTo, serveParent } from "../process/serve-parent.ts";
import { listen } from "../support/listen.ts";

const { count, answerAfterMs } = givenTo<"counting-receivers">();
let arrived = new Set<string>();
let requests = 0;
let whenAll: { expect: number; done: () => void } | null = null;

const answer = (response: ServerResponse) => response.writeHead(204).end();

function receive(at: number, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  request.once("end", () => {
    requests += 1;
    arrived.add(`${at} ${request.headers["webhook-id"]}`);
    if (answerAfterMs === 0) answer(response);
    else setTimeout(answer, answerAfterMs, response);
    checkWhetherAll();
  });
}

function checkWhetherAll(): void {
  if (whenAll === null || arrived.size < whenAll.expect) return;
  const { done } = whenAll;
  whenAll = null;
  done();
}

const ports: number[] = [];
for (let n = 0; n < count; n += 1) {
  const receiveHere = receive.bind(null, n);
  ports.push(await listen(createServer({ keepAliveTimeout: 60_000 }, receiveHere)));
}
serveParent<"counting-receivers">({ ports }, async ({ expect }) => {
  await new Promise<void>((done) => {
    whenAll = { expect, done };
    checkWhetherAll();
  });
  const answered = { lastAtMs: Date.now(), requests };
  arrived = new Set();
  requests = 0;
  return answered;
});
