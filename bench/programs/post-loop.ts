// The bare floor of a delivery: signs with our signature and posts with our HTTP client, so many at
// the same time, and stores nothing.
import { Agent } from "undici";
import { serveParent } from "../process/serve-parent.ts";
import { postSigned } from "../support/post-signed.ts";

const agent = new Agent({ pipelining: 1 });

serveParent<"post-loop">(null, async ({ messages, concurrency }) => {
  const startedAtMs = Date.now();
  const left = messages.values();
  const postOn = async () => {
    for (const message of left) await postSigned(agent, message);
  };
  await Promise.all(Array.from({ length: concurrency }, postOn));
  return { startedAtMs };
});
