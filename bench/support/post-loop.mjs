// The floor of a delivery, in a process of its own: signs with our signature and posts with our HTTP client, so many at
// the same time, and stores nothing. To `{ messages, concurrency }` it sends `{ startedAtMs }` when all were answered.
import { Agent } from "undici";
import { signatureHeaders } from "../../dist/webhook/signature.js";

const agent = new Agent({ pipelining: 1 });

process.on("message", async ({ messages, concurrency }) => {
  const startedAtMs = Date.now();
  let next = 0;
  async function postOn() {
    while (next < messages.length) await post(messages[next++]);
  }
  await Promise.all(Array.from({ length: concurrency }, postOn));
  process.send({ startedAtMs });
});
process.on("disconnect", () => process.exit());

async function post(message) {
  const { origin, pathname } = new URL(message.url);
  const timestampSec = Math.floor(Date.now() / 1000);
  const { body } = await agent.request({
    origin,
    path: pathname,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Chainbell/bench",
      ...signatureHeaders({ ...message, nextSecret: null, timestampSec }),
    },
    body: message.body,
  });
  await body.dump();
}
