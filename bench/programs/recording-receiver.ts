// A receiver that keeps what arrived, by notification, one that takes every request and never
// answers, and one that answers until it is said to hang.
import { createServer } from "node:http";
import type { Arrival } from "../process/protocol.ts";
import { serveParent } from "../process/serve-parent.ts";
import { listen } from "../support/listen.ts";
import { onBody } from "../support/request-body.ts";

const arrived = new Map<string, Arrival>();

const recording = createServer((request, response) => {
  onBody(request, (body) => {
    const id = String(request.headers["webhook-id"]);
    const known = arrived.get(id);
    if (known === undefined) arrived.set(id, { id, firstAtMs: Date.now(), times: 1, body });
    else known.times += 1;
    response.writeHead(204).end();
  });
});
const hanging = createServer(() => {});
let turns = false;
const turning = createServer((request, response) => {
  onBody(request, () => {
    if (!turns) response.writeHead(204).end();
  });
});

const ports = {
  port: await listen(recording),
  hangingPort: await listen(hanging),
  turningPort: await listen(turning),
};
serveParent<"recording-receiver">(ports, (question) => {
  if (question === "forget") arrived.clear();
  if (question === "hang") turns = true;
  const arrivals = question === "all" ? [...arrived.values()] : [];
  return { count: arrived.size, arrivals };
});
