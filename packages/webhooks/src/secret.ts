import { RefusedWebhook } from "./refusal.ts";

/** Chainbell's secrets have 32 bytes; Standard Webhooks asks for 24 to 64. */
const minBytes = 24;
const form = /^whsec_[A-Za-z0-9+/]+={0,2}$/;

/**
 * The key of a secret as it is shown at registration: `whsec_` and base64.
 * @throws RefusedWebhook `weak_secret` for anything else, an empty or a short one included
 */
export function keyOf(secret: string): Buffer {
  const key = form.test(secret) ? Buffer.from(secret.slice("whsec_".length), "base64") : null;
  if (key !== null && key.length >= minBytes) return key;
  throw new RefusedWebhook(
    "weak_secret",
    "The secret is not one of Chainbell's: expected whsec_ and the base64 of at least 24 bytes, as shown at registration.",
  );
}
