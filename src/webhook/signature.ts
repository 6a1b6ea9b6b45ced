import { createHmac } from "node:crypto";
import { ed25519Signature } from "../domain/webhook/ed25519.ts";

/**
 * The signature headers of one attempt, over exactly `body`. `X-Webhook-Signature` is the plain
 * form: lowercase hex HMAC-SHA256. Its key is the secret as it is shown, in UTF-8. The three
 * `webhook-*` headers follow Standard Webhooks 1.0 (symmetric). Their key is the decoded base64
 * part of the secret, and the signed text is `id.timestamp.body`.
 *
 * During the overlap of a rotation there is a next secret. Then `webhook-signature` has both
 * signatures. The plain form has room for only one, so `X-Webhook-Signature` keeps the old secret
 * and `X-Webhook-Signature-Next` has the new one. Each ed25519 key adds an asymmetric signature
 * `v1a` of the same text, after the others.
 * @param timestampSec Unix seconds of this attempt, so that a receiver can refuse a replay
 */
export function signatureHeaders(message: {
  secret: string;
  nextSecret: string | null;
  notificationId: string;
  timestampSec: number;
  body: string;
  /** PEM. Each key makes one signature `v1a`. */
  ed25519Keys: readonly string[];
}): Record<string, string> {
  const { secret, nextSecret, ed25519Keys, notificationId, timestampSec, body } = message;
  const signed = `${notificationId}.${timestampSec}.${body}`;
  const secrets = nextSecret === null ? [secret] : [secret, nextSecret];
  return {
    "x-webhook-signature": plainSignature(secret, body),
    ...(nextSecret === null
      ? {}
      : { "x-webhook-signature-next": plainSignature(nextSecret, body) }),
    "webhook-id": notificationId,
    "webhook-timestamp": String(timestampSec),
    "webhook-signature": [
      ...secrets.map((one) => standardSignature(one, signed)),
      ...ed25519Keys.map((key) => ed25519Signature(key, signed)),
    ].join(" "),
  };
}

function plainSignature(secret: string, body: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

function standardSignature(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
