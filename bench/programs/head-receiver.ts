// The receiver of the latency benchmark. It is announced each head itself, so that one clock says
// when a block was announced and when its notifications came.
import { createServer } from "node:http";
import { givenTo, serveParent } from "../process/serve-parent.ts";
import { listen } from "../support/listen.ts";
import { onBody } from "../support/request-body.ts";
import { watchHeads } from "../support/watch-heads.ts";

const { wsUrl } = givenTo<"head-receiver">();
let announcedAtMs = new Map<number, number>();
let arrivals: { block: number; atMs: number }[] = [];

const server = createServer((request, response) => {
  onBody(request, (body) => {
    const atMs = performance.now();
    response.writeHead(204).end();
    const { data } = JSON.parse(body) as { data: { blockNumber: number } };
    arrivals.push({ block: data.blockNumber, atMs });
  });
});

await watchHeads(wsUrl, ({ number }) => announcedAtMs.set(Number(number), performance.now()));
serveParent<"head-receiver">({ port: await listen(server) }, (question) => {
  const count = arrivals.length;
  if (question === "count") return { count, latencies: [] };
  const latencies = arrivals.map(
    ({ block, atMs }) => atMs - (announcedAtMs.get(block) ?? Number.NaN),
  );
  announcedAtMs = new Map();
  arrivals = [];
  return { count, latencies };
});
