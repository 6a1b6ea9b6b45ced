import { once } from "node:events";
import type { FastifyReply } from "fastify";

/** An answer without an end: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export type EventStream = {
  /** Sends a text of whole events. Closes the stream instead if over 64 KiB are still unread. */
  send: (text: string) => void;
  /**
   * Sends a text of whole events, and waits until all but a few KB are read. Closes the stream if
   * the client does not read in time, or if the signal is aborted. Resolves with false if it is
   * closed.
   */
  sendRead: (text: string, signal: AbortSignal) => Promise<boolean>;
  end: () => void;
};

const mostUnreadBytes = 64 * 1_024;

/** The time that a client may take to read a text, in ms. */
const longestUnreadMs = 30_000;

/** A comment that shows that the stream is alive. Proxies end one that is silent for a minute. */
export const signOfLife = ": keep-alive\n\n";

/** Begins the answer, with the headers set on the reply. The route must not send anything else. */
export function beginEventStream(reply: FastifyReply, unreadMs = longestUnreadMs): EventStream {
  reply.type("text/event-stream; charset=utf-8");
  // Tells proxies to pass on each event at once.
  reply.header("x-accel-buffering", "no");
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  reply.hijack();
  raw.writeHead(200);
  raw.write("retry: 2000\n\n");
  return {
    send(text) {
      if (raw.writableLength > mostUnreadBytes) raw.destroy();
      else raw.write(text);
    },
    async sendRead(text, signal) {
      if (raw.destroyed) return false;
      if (raw.write(text)) return true;
      const closed = new AbortController();
      const onClose = () => closed.abort();
      raw.once("close", onClose);
      const inTime = AbortSignal.any([signal, closed.signal, AbortSignal.timeout(unreadMs)]);
      const isRead = await once(raw, "drain", { signal: inTime }).then(
        () => true,
        () => false,
      );
      raw.off("close", onClose);
      if (!isRead) raw.destroy();
      return isRead;
    },
    end: () => raw.end(),
  };
}
