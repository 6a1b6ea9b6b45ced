import type { HeadersIn } from "./headers.ts";
import type { Notification } from "./notification.ts";
import { RefusedWebhook } from "./refusal.ts";
import { type Memory, rememberInProcess } from "./remember.ts";
import { type VerifyOptions, verify } from "./verify.ts";

export type ReceiverOptions = Omit<VerifyOptions, "nowMs"> & {
  /** As shown at registration; while a rotation overlaps, both. */
  secret: string | readonly string[];
  /** Handles one notification. When it throws, Chainbell sends it again later. */
  onNotification: (notification: Notification) => unknown;
  /** Default: of this process only. */
  memory?: Memory;
  /** What was refused, for your log. */
  onRefused?: (refusal: RefusedWebhook) => void;
  /** Most bytes of a body. Default 262,144; a notification has about 700. */
  maxBodyBytes?: number;
  /** Most ms until a body has arrived. Default 10,000: Chainbell gives up after 15 s. */
  bodyTimeoutMs?: number;
};

/** What is answered: 204 handled (now or before), 400 or 401 refused, 500 not handled, so that it comes again. */
export type Answer = 204 | 400 | 401 | 500;

/** What to do with the bytes and headers of one request. Never throws. */
export type Receive = (rawBody: Uint8Array | string, headers: HeadersIn) => Promise<Answer>;

/**
 * Verifies, skips what was handled before, and hands the rest to `onNotification`, each id once.
 * @throws RefusedWebhook `weak_secret` at once, not at the first request
 */
export function createReceive(options: ReceiverOptions): Receive {
  const { secret, onNotification, onRefused, memory = rememberInProcess() } = options;
  requireSecrets(secret);
  return async (rawBody, headers) => {
    let notification: Notification;
    try {
      notification = verify(rawBody, headers, secret, options);
    } catch (error) {
      if (!(error instanceof RefusedWebhook)) return 500;
      onRefused?.(error);
      return error.code === "malformed_body" ? 400 : 401;
    }
    try {
      if (!(await memory.claim(notification.id))) return 204;
    } catch {
      return 500;
    }
    try {
      await onNotification(notification);
      return 204;
    } catch {
      await memory.release(notification.id).catch(() => undefined);
      return 500;
    }
  };
}

function requireSecrets(secret: string | readonly string[]): void {
  try {
    verify("", {}, secret);
  } catch (error) {
    if (error instanceof RefusedWebhook && error.code === "weak_secret") throw error;
  }
}
