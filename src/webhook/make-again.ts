import type {
  NotificationDetail,
  RecordedAttempt,
  SealedKeys,
  SentHeader,
  SentRequest,
} from "../domain/delivery/recorded-notification.ts";
import { Fault } from "../domain/fault.ts";
import { nothingAdded, openOutbound } from "../domain/webhook/outbound.ts";
import { headersOf } from "./sender.ts";

const signatures = ["x-webhook-signature", "x-webhook-signature-next", "webhook-signature"];

/**
 * Makes the headers of a past attempt again, as they were sent. Masks the business's own headers,
 * because their values may be secrets. Masks all signatures if one of their keys is deleted or
 * cannot be decrypted. The user agent is that of this release, which may differ. Null: the record
 * does not say how the attempt was made.
 */
export function makeAgain(
  { id, businessId, body }: Pick<NotificationDetail, "id" | "businessId" | "body">,
  { request, startedAt, url }: RecordedAttempt,
  options: { userAgent: string; decrypt: (ciphertext: string, businessId: string) => string },
): SentRequest | null {
  if (request === null) return null;
  const { headerNames, previousId, hasNext } = request;
  const keys = openKeys(request.keys, (one) => options.decrypt(one, businessId));
  const unsigned = { secret: "", nextSecret: hasNext ? "" : null, outbound: nothingAdded };
  const signed = keys ?? unsigned;
  const message = { businessId, notificationId: id, previousId, body, startedAt, url: url ?? "" };
  const made = headersOf({ ...message, ...signed }, options.userAgent);
  const isMasked = (name: string) => keys === null && signatures.includes(name);
  const own = headerNames.map((name): SentHeader => ({ name, value: null }));
  const ours = Object.entries(made).map(
    ([name, value]): SentHeader => ({ name, value: isMasked(name) ? null : value }),
  );
  return { headers: [...own, ...ours], isSecretGone: keys === null };
}

function openKeys(keys: SealedKeys | null, open: (ciphertext: string) => string) {
  if (keys === null) return null;
  const { signingCiphertext, nextCiphertext, ...pairs } = keys;
  try {
    return {
      secret: open(signingCiphertext),
      nextSecret: nextCiphertext === null ? null : open(nextCiphertext),
      outbound: openOutbound(
        { headersCiphertext: null, certificateCiphertext: null, ...pairs },
        open,
      ),
    };
  } catch (error) {
    if (error instanceof Fault && error.code === "wrong_encryption_key") return null;
    throw error;
  }
}
