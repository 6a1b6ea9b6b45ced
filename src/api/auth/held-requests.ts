import type { FastifyReply, FastifyRequest } from "fastify";
import type { Fault } from "../../domain/fault.ts";
import type { Logger } from "../../runtime/logger.ts";
import { onBehalfOf } from "../../runtime/on-behalf.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import type { Web } from "../http/web.ts";
import type { FindOver } from "./authenticate.ts";
import { businessOwnerOf } from "./owner.ts";

/**
 * The reason why a request is held no longer. `gone`: nobody waits for the answer. `closing`: the
 * server stops. `over`: its credential opens nothing any more.
 */
type Ended = { kind: "gone" } | { kind: "closing" } | { kind: "over"; fault: Fault };

/** A request of a business whose answer waits, or goes on. */
export type Held = {
  /** Aborted when it has to end. */
  signal: AbortSignal;
  ended: () => Ended | null;
  /** Call it in the end. Safe to repeat. */
  release: () => void;
};

declare module "fastify" {
  interface FastifyRequest {
    /** The time in ms that it took until it was held; null: it was not held. */
    heldAfterMs: number | null;
  }
}

export type HeldRequests = {
  /** @throws Fault `rate_limited` where too many are open */
  hold: (request: FastifyRequest, reply: FastifyReply) => Held;
};

type Entry = { request: FastifyRequest; end: (ended: Ended) => void };

/**
 * The time in ms between two looks at the credentials of what is held. With the second for which a
 * key's state is kept it is the 2 s within which a revocation takes effect.
 */
const lookEveryMs = 1_000;

/**
 * Holds requests open. One look at the database a second is for all of them, and there is none
 * while nothing is held.
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
      // A session of the console is looked up at each request, and not while one is answered.
      const requests = [...held].map(({ request }) => request);
      const over = await deps.findOver(requests.filter(({ session }) => session === null));
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
    // The first request begins it for all: its looks take no turns of that one's owner.
    timer ??= onBehalfOf(null, () => setInterval(() => void look(), lookEveryMs));
  }

  function remove(entry: Entry): void {
    held.delete(entry);
    if (held.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  // The server waits for requests under way.
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
