import type { AlertChannel } from "./channel.ts";
import { post } from "./post.ts";

/** Makes the headers that sign a body, as those of notifications do. */
export type Sign = (signed: {
  secret: string;
  id: string;
  body: string;
}) => Readonly<Record<string, string>>;

/** Sends the message as JSON, signed if there is a secret. */
export function createWebhookChannel(
  { url, secret }: { url: string; secret: string | null },
  { sign, userAgent }: { sign: Sign; userAgent: string },
): AlertChannel {
  return {
    name: "webhook",
    send(message, signal) {
      const body = JSON.stringify(message);
      const signature = secret === null ? {} : sign({ secret, id: message.id, body });
      return post(url, body, { headers: { "user-agent": userAgent, ...signature }, signal });
    },
  };
}
