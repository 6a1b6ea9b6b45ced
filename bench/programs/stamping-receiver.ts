// The receiver of block-to-webhook. It is announced each head itself, so that one clock says when a
// block was announced and when a request came. It knows nothing of a body but the hashes in it.
import { createServer } from "node:http";
import type { StampedArrival } from "../process/protocol.ts";
import { givenTo, serveParent } from "../process/serve-parent.ts";
import { listen } from "../support/listen.ts";
import { onBody } from "../support/request-body.ts";
import { watchHeads } from "../support/watch-heads.ts";

const { wsUrl } = givenTo<"stamping-receiver">();
const announced = new Map<number, number>();
let arrivals: StampedArrival[] = [];
let refuseEvery: number | null = null;
let seen = new Set<string>();

const server = createServer((request, response) => {
  onBody(request, (body) => {
    const atMs = performance.now();
    const hashes = (body.match(/0x[0-9a-f]{64}/gi) ?? []).map((hash) => hash.toLowerCase());
    const isAccepted = !isRefused(body, hashes);
    arrivals.push({ hashes, atMs, isAccepted });
    response.writeHead(isAccepted ? 204 : 503).end();
  });
});

/** Of each so many bodies that have not come before, one is refused, once. */
function isRefused(body: string, hashes: readonly string[]): boolean {
  if (refuseEvery === null) return false;
  const key = hashes.length === 0 ? body : hashes.join();
  if (seen.has(key)) return false;
  seen.add(key);
  return seen.size % refuseEvery === 0;
}

await watchHeads(wsUrl, ({ number }) => announced.set(Number(number), performance.now()));
serveParent<"stamping-receiver">({ port: await listen(server) }, (question) => {
  if (question.kind === "forget") {
    arrivals = [];
    seen = new Set();
    refuseEvery = question.refuseEvery;
  }
  return { announced: [...announced], arrivals };
});
