import type { Sent } from "./sent.ts";

/** The outcome of a check. `unreadable`: the secret is no base64, or the page has no https. */
export type SignatureVerdict =
  | { kind: "right"; attempt: number }
  | { kind: "wrong" }
  | { kind: "unreadable" };

/**
 * Says which attempt a `webhook-signature` header belongs to. The secret signs the id, the time of
 * the attempt and the body, as Standard Webhooks 1.0 has it. Nothing is sent anywhere.
 */
export async function checkSignature(
  of: Pick<Sent, "id" | "body" | "attempts">,
  header: string,
  secret: string,
): Promise<SignatureVerdict> {
  const given = header.trim().split(/\s+/);
  try {
    const bytes = Uint8Array.from(atob(secret.trim().replace(/^whsec_/, "")), (one) =>
      one.charCodeAt(0),
    );
    const kind = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytes, kind, false, ["sign"]);
    for (const attempt of of.attempts) {
      for (const second of secondsOf(attempt)) {
        const signed = new TextEncoder().encode(`${of.id}.${second}.${of.body}`);
        const made = await crypto.subtle.sign("HMAC", key, signed);
        const text = btoa(String.fromCharCode(...new Uint8Array(made)));
        if (given.includes(`v1,${text}`)) return { kind: "right", attempt: attempt.number };
      }
    }
    return { kind: "wrong" };
  } catch {
    // The secret is no base64, or the browser signs nothing on a page without https.
    return { kind: "unreadable" };
  }
}

/** The Unix seconds in which an attempt may have been signed: it begins before it is signed. */
function secondsOf({ at, latency_ms: latencyMs }: Sent["attempts"][number]): number[] {
  const first = Math.floor(Date.parse(at) / 1000);
  const last = Math.floor((Date.parse(at) + latencyMs) / 1000) + 1;
  return Array.from({ length: last - first + 1 }, (_, place) => first + place);
}
