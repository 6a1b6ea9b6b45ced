import type { FastifyReply, FastifyRequest } from "fastify";
import type { Fault } from "../../domain/fault.ts";
import type { Logger } from "../../runtime/logger.ts";
import { onBehalfOf } from "../../runtime/on-behalf.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import type { Web } from "../http/web.ts";
import type { FindOver } from "./authenticate.ts";
import { businessOwnerOf } from "./owner.ts";

/**
 * The reason why a waiting request has ended. `gone`: its caller disconnected. `closing`: the
 * server stops. `over`: its credential is no longer valid.
 */
type Ended = { kind: "gone" } | { kind: "closing" } | { kind: "over"; fault: Fault };

/** A request of a business that stays open: it waits for something, or its answer is a stream. */
export type Held = {
  /** Aborted when the request has to end. */
  signal: AbortSignal;
  ended: () => Ended | null;
  /** Call it when the request is done. Safe to repeat. */
  release: () => void;
};

declare module "fastify" {
  interface FastifyRequest {
    /** The time that the request took before it was held open, in ms. Null: it was not. */
    heldAfterMs: number | null;
  }
}

export type HeldRequests = {
  /** @throws Fault `rate_limited` if too many requests are held open */
  hold: (request: FastifyRequest, reply: FastifyReply) => Held;
};

type Entry = { request: FastifyRequest; end: (ended: Ended) => void };

/**
 * The pause between two checks of the credentials of open requests, in ms. Together with the 1 s
 * for which a key's state is cached, a revocation takes effect within 2 s.
 */
const lookEveryMs = 1_000;

/**
 * Holds requests open, and ends each when its credential is no longer valid. One query a second
 * checks all of them. Without open requests there is no query.
 */
export function createHeldRequests(
  web: Web,
  deps: { findOver: FindOver; streams: OpenStreams; log: Logger },
): HeldRequests {
  const held = new Set<Entry>();
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const over = await deps.findOver([...held].map(({ request }) => request));
      for (const { request, end } of [...held]) {
        const fault = over.get(request);
        if (fault !== undefined) end({ kind: "over", fault });
      }
    } catch (error) {
      deps.log.warn({ error }, "held_requests.not_checked");
    } finally {
      isLooking = false;
    }
  }

  function add(entry: Entry): void {
    held.add(entry);
    // The first request starts the checks for all. They run on no owner's behalf, so they use none
    // of that request's turns.
    timer ??= onBehalfOf(null, () => setInterval(() => void look(), lookEveryMs));
  }

  function remove(entry: Entry): void {
    held.delete(entry);
    if (held.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  // Without this, the server would wait for these requests when it stops.
  web.addHook("preClose", async () => {
    for (const { end } of [...held]) end({ kind: "closing" });
  });

  return {
    hold(request, reply) {
      const leave = deps.streams.begin(businessOwnerOf(request));
      request.heldAfterMs ??= reply.elapsedTime;
      const abort = new AbortController();
      let ended: Ended | null = null;
      const entry: Entry = {
        request,
        end(why) {
          ended ??= why;
          abort.abort();
        },
      };
      const onClose = () => entry.end({ kind: "gone" });
      reply.raw.once("close", onClose);
      if (reply.raw.destroyed) onClose();
      add(entry);
      return {
        signal: abort.signal,
        ended: () => ended,
        release() {
          reply.raw.off("close", onClose);
          remove(entry);
          leave();
        },
      };
    },
  };
}
