import type { Notification } from "./notification.ts";
import { RefusedWebhook } from "./refusal.ts";

/**
 * The notification in a body that was signed. What Chainbell signs has its form, so only what everything relies on is
 * looked at; an event that is newer than this package passes, for the `default` of a switch.
 * @throws RefusedWebhook `malformed_body`
 */
export function parseNotification(rawBody: Uint8Array | string): Notification {
  const text = typeof rawBody === "string" ? rawBody : Buffer.from(rawBody).toString("utf8");
  const body = parse(text);
  if (isNotification(body)) return body;
  throw new RefusedWebhook("malformed_body", "The body is not the JSON of a notification.");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isNotification(body: unknown): body is Notification {
  if (typeof body !== "object" || body === null) return false;
  const { id, event, timestamp, data } = body as Record<string, unknown>;
  return (
    [id, event, timestamp].every((value) => typeof value === "string" && value !== "") &&
    Number.isFinite(Date.parse(String(timestamp))) &&
    typeof data === "object" &&
    data !== null
  );
}
