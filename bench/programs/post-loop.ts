// The floor of a delivery: signs with our signature and posts with our HTTP client, so many at the
// same time, and stores nothing.
import { Agent } from "undici";
import { signatureHeaders } from "../../src/webhook/signature.ts";
import type { Message } from "../process/protocol.ts";
import { serveParent } from "../process/serve-parent.ts";

const agent = new Agent({ pipelining: 1 });

serveParent<"post-loop">(null, async ({ messages, concurrency }) => {
  const startedAtMs = Date.now();
  const left = messages.values();
  const postOn = async () => {
    for (const message of left) await post(message);
  };
  await Promise.all(Array.from({ length: concurrency }, postOn));
  return { startedAtMs };
});

async function post(message: Message): Promise<void> {
  const { origin, pathname } = new URL(message.url);
  const timestampSec = Math.floor(Date.now() / 1000);
  const { body } = await agent.request({
    origin,
    path: pathname,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Chainbell/bench",
      ...signatureHeaders({ ...message, nextSecret: null, ed25519Keys: [], timestampSec }),
    },
    body: message.body,
  });
  await body.dump();
}
