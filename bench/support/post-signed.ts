import type { Agent } from "undici";
import { signatureHeaders } from "../../src/webhook/signature.ts";
import type { Message } from "../process/protocol.ts";

/** POSTs the message with our signature by our HTTP client, and answers the status. */
export async function postSigned(agent: Agent, message: Message): Promise<number> {
  const { origin, pathname } = new URL(message.url);
  const timestampSec = Math.floor(Date.now() / 1000);
  const { statusCode, body } = await agent.request({
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
  return statusCode;
}
