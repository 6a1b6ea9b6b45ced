import { createHmac } from "node:crypto";

/**
 * The signature headers of one attempt, over exactly `body`. `X-Webhook-Signature` is the plain form: lowercase hex
 * HMAC-SHA256 keyed with the UTF-8 bytes of the secret as shown. The `webhook-*` three are Standard Webhooks 1.0
 * (symmetric): the key is what the secret's base64 part decodes to, and the signed text is `id.timestamp.body`.
 * @param timestampSec Unix seconds of this attempt, so that a receiver can refuse a replay
 */
export function signatureHeaders(message: {
  secret: string;
  notificationId: string;
  timestampSec: number;
  body: string;
}): Record<string, string> {
  const { secret, notificationId, timestampSec, body } = message;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signed = `${notificationId}.${timestampSec}.${body}`;
  return {
    "x-webhook-signature": createHmac("sha256", secret).update(body).digest("hex"),
    "webhook-id": notificationId,
    "webhook-timestamp": String(timestampSec),
    "webhook-signature": `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
  };
}
