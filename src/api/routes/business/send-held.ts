import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../../../runtime/logger.ts";
import { breakOff, type Part, sendAllTexts } from "../../answers/send-texts.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Held, HeldRequests } from "../../auth/held-requests.ts";

export type SendDeps = { held: HeldRequests; log: Logger };

/**
 * Streams a long answer to a business, as sendAllTexts does. It counts as one of the business's
 * open streams. It breaks off if the credential is no longer valid, or the server stops.
 *
 * The answer to HEAD has only headers, and nothing is read for it. Fastify would read a stream to
 * its end, for nobody, also after the client has gone.
 * @param begin gives the texts; not called for HEAD
 * @param longestUnreadMs the most ms for which the client may read nothing; null: no limit
 * @throws Fault `rate_limited` if the business has too many open streams
 */
export async function sendHeld(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  begin: () => AsyncIterable<Part>,
  { held: requests, log, longestUnreadMs }: SendDeps & { longestUnreadMs: number | null },
): Promise<FastifyReply> {
  if (request.method === "HEAD") return reply.send("");
  const held = requests.hold(request, reply);
  if (longestUnreadMs !== null) reply.raw.setTimeout(longestUnreadMs, () => breakOff(reply));
  try {
    await sendAllTexts(reply, begin(), held.signal);
  } catch (error) {
    logEnd(error, held, { log, businessId: businessOf(request) });
  } finally {
    held.release();
  }
  return reply;
}

/** Logs why an answer broke off. The client sees only that it is incomplete. */
function logEnd(
  error: unknown,
  held: Held,
  { log, businessId }: { log: Logger; businessId: string },
) {
  const ended = held.ended();
  if (ended === null) log.warn({ error, businessId }, "export.failed");
  else log.info({ businessId, reason: ended.kind }, "export.ended");
}
