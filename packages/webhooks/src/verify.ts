import { type HeadersIn, headerIn, requireHeader } from "./headers.ts";
import type { Notification } from "./notification.ts";
import { parseNotification } from "./parse-notification.ts";
import { RefusedWebhook } from "./refusal.ts";
import { type Key, keyOf } from "./secret.ts";
import { isAnyEqual, isSignedBy, macOf } from "./signature.ts";

export type VerifyOptions = {
  /**
   * The most seconds between the timestamp and now, in both directions. Default 300, as in the
   * Standard Webhooks libraries.
   */
  toleranceSec?: number;
  /** The time, in ms since the epoch. Default: now. */
  nowMs?: number;
  /**
   * The form of the signature. `standard` (default) uses the headers webhook-id, webhook-timestamp
   * and webhook-signature of Standard Webhooks 1.0. `plain` uses X-Webhook-Signature, which does
   * not sign the time of sending. With `plain`, the tolerance applies to the time of the event in
   * the body. A repetition may come days after its event: give a `toleranceSec` that allows it.
   */
  form?: "standard" | "plain";
};

const defaultToleranceSec = 300;

/**
 * Verifies a request and returns its notification. It comes from Chainbell, is unchanged, and is
 * not older than the tolerance. Give the bytes as they arrived, before anything parsed them.
 * Signatures made with a secret are compared in constant time. Delivery is at least once, and a
 * copied request passes within the tolerance. So remember the ids that you have handled.
 * @param secret as shown at registration; during a rotation the old one, the new one, or both. If
 *   the webhook signs with ed25519, you may give its public key, `whpk_`. A public key verifies
 *   only `v1a` signatures, and only in the `standard` form
 * @throws RefusedWebhook; its `code` says why. See https://www.standardwebhooks.com for the
 *   standard form
 */
export function verify(
  rawBody: Uint8Array | string,
  headers: HeadersIn,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Notification {
  const { toleranceSec = defaultToleranceSec, nowMs = Date.now(), form = "standard" } = options;
  requireNumber("toleranceSec", toleranceSec);
  requireNumber("nowMs", nowMs);
  const secrets = typeof secret === "string" ? [secret] : secret;
  const keys = secrets.map(keyOf);
  if (keys.length === 0) throw new RefusedWebhook("weak_secret", "No secret was given.");
  const window = { nowSec: nowMs / 1_000, toleranceSec };
  if (form === "standard") {
    requireStandard(rawBody, headers, keys);
    requireFresh(Number(requireHeader(headers, "webhook-timestamp")), window);
    return parseNotification(rawBody);
  }
  if (keys.some(({ kind }) => kind === "ed25519"))
    throw new RefusedWebhook("weak_secret", "The plain form has no signature of a public key.");
  requirePlain(rawBody, headers, secrets);
  const notification = parseNotification(rawBody);
  requireFresh(Date.parse(notification.timestamp) / 1_000, window);
  return notification;
}

function requireStandard(
  rawBody: Uint8Array | string,
  headers: HeadersIn,
  keys: readonly Key[],
): void {
  const id = requireHeader(headers, "webhook-id");
  const timestamp = requireHeader(headers, "webhook-timestamp");
  const signatures = requireHeader(headers, "webhook-signature");
  if (!/^[1-9]\d{0,11}$/.test(timestamp)) {
    throw new RefusedWebhook(
      "malformed_header",
      "webhook-timestamp is not a time in Unix seconds.",
    );
  }
  const signed = [`${id}.${timestamp}.`, rawBody];
  const given = (wanted: string) =>
    signatures.split(" ").flatMap((part) => {
      const [version, signature] = part.split(",");
      const isWanted = version === wanted && signature !== undefined;
      return isWanted ? [Buffer.from(signature, "base64")] : [];
    });
  const isAsymmetric = keys.some(
    (key) => key.kind === "ed25519" && isSignedBy(key.publicKey, signed, given("v1a")),
  );
  if (isAsymmetric) return;
  requireEqual(
    given("v1"),
    keys.flatMap((key) => (key.kind === "hmac" ? [macOf(key.bytes, signed)] : [])),
  );
}

function requirePlain(
  rawBody: Uint8Array | string,
  headers: HeadersIn,
  secrets: readonly string[],
): void {
  requireHeader(headers, "x-webhook-signature");
  const expected = secrets.map((secret) => macOf(secret, [rawBody]));
  const given = ["x-webhook-signature", "x-webhook-signature-next"].flatMap((name) => {
    const signature = headerIn(headers, name);
    return signature === null ? [] : [Buffer.from(signature, "hex")];
  });
  requireEqual(given, expected);
}

function requireEqual(given: readonly Buffer[], expected: readonly Buffer[]): void {
  if (isAnyEqual(given, expected)) return;
  throw new RefusedWebhook(
    "wrong_signature",
    "No signature fits: the secret is another one, or the body is not the bytes that were sent.",
  );
}

function requireFresh(atSec: number, window: { nowSec: number; toleranceSec: number }): void {
  const ageSec = window.nowSec - atSec;
  if (Math.abs(ageSec) <= window.toleranceSec) return;
  const code = ageSec > 0 ? "timestamp_too_old" : "timestamp_too_new";
  throw new RefusedWebhook(
    code,
    `The timestamp is ${Math.round(Math.abs(ageSec))} s from now, more than ${window.toleranceSec} s.`,
  );
}

function requireNumber(name: string, value: number): void {
  if (Number.isFinite(value) && value >= 0) return;
  throw new RefusedWebhook("malformed_option", `${name} is not a number from 0.`);
}
