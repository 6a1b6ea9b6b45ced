import type { Notification } from "./notification.ts";
import { RefusedWebhook } from "./refusal.ts";

/**
 * Reads the notification in a signed body. Chainbell signs only well-formed bodies, so this checks
 * only the fields that every event has. It accepts events that are newer than this package, for the
 * `default` of your switch.
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
