import type { HandledStore } from "./gaps/handled-store.ts";
import { type HeadersIn, headerIn } from "./headers.ts";
import type { Notification } from "./notification.ts";
import { RefusedWebhook } from "./refusal.ts";
import { applyOnce, type Memory, rememberInProcess } from "./remember.ts";
import { type VerifyOptions, verify } from "./verify.ts";

export type ReceiverOptions = Omit<VerifyOptions, "nowMs"> & {
  /** The secret, as it was shown at registration. During a rotation, give both secrets. */
  secret: string | readonly string[];
  /**
   * Handles one notification. If it throws or rejects, Chainbell sends the notification again
   * later.
   */
  onNotification: (notification: Notification) => unknown;
  /** Remembers handled notifications. Default: `rememberInProcess()`, only for this process. */
  memory?: Memory;
  /** Notes each handled notification, so that `fillGaps` can find those that never arrive. */
  handled?: Pick<HandledStore, "note">;
  /** Called with each refused request, for your log. It must not throw. */
  onRefused?: (refusal: RefusedWebhook) => void;
  /** The most bytes that a body may have. Default 262,144; a notification has about 700. */
  maxBodyBytes?: number;
  /**
   * The time that the whole body may take to arrive, in ms. Default 10,000, because Chainbell gives
   * up after 15 s.
   */
  bodyTimeoutMs?: number;
};

/**
 * The status to answer. 204: this call or an earlier one has handled the notification. 400 or 401:
 * the request is refused. 500: the notification is not handled, or not yet, so Chainbell sends it
 * again. A repetition that arrives while the handler works gets the same answer.
 */
export type Answer = 204 | 400 | 401 | 500;

/**
 * Checks the bytes and headers of one request, and returns the status to answer. Rejects only if
 * your `onRefused` throws.
 */
export type Receive = (rawBody: Uint8Array | string, headers: HeadersIn) => Promise<Answer>;

/**
 * Makes the receiver for your own handler. It verifies each request, skips an id that `memory`
 * knows, and gives every other notification to `onNotification`.
 * @throws RefusedWebhook `weak_secret` when it is made. With the `plain` form, a public key is
 *   instead refused at each request
 */
export function createReceive(options: ReceiverOptions): Receive {
  const { secret, onNotification, onRefused, memory = rememberInProcess(), handled } = options;
  requireSecrets(secret);
  /** The answers that are still to come, by the notification's id. */
  const underWay = new Map<string, Promise<Answer>>();

  async function handleOnce(
    notification: Notification,
    previousId: string | null,
  ): Promise<Answer> {
    const outcome = await applyOnce({ memory, onNotification }, notification);
    if (outcome.kind === "failed") return 500;
    const { id, sequence, data } = notification;
    // If the note fails, `fillGaps` asks the feed once more. The answer is the same.
    if (outcome.kind === "applied" && sequence !== undefined)
      await handled
        ?.note({ id, sequence, blockchain: data.blockchain, previousId })
        .catch(() => undefined);
    return 204;
  }

  return async (rawBody, headers) => {
    let notification: Notification;
    try {
      notification = verify(rawBody, headers, secret, options);
    } catch (error) {
      if (!(error instanceof RefusedWebhook)) return 500;
      onRefused?.(error);
      return error.code === "malformed_body" ? 400 : 401;
    }
    const { id } = notification;
    // Chainbell sends again after 15 s. A repetition waits for the handler that still works.
    const begun = underWay.get(id);
    if (begun !== undefined) return begun;
    const answer = handleOnce(notification, headerIn(headers, "webhook-previous"));
    underWay.set(id, answer);
    try {
      return await answer;
    } finally {
      underWay.delete(id);
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
