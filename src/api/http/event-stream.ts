import { once } from "node:events";
import type { FastifyReply } from "fastify";

/** An answer that goes on: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export type EventStream = {
  /** Sends a text of whole events, unless more than 64 KiB are not read yet: then it is closed. */
  send: (text: string) => void;
  /**
   * Sends a text of whole events, and waits until it is read but for a few KB. A stream that is not
   * read in time, or not before the signal is aborted, is closed. Answers false where it is closed.
   */
  sendRead: (text: string, signal: AbortSignal) => Promise<boolean>;
  end: () => void;
};

const mostUnreadBytes = 64 * 1_024;

/** The longest that a text may take to be read, in ms. */
const longestUnreadMs = 30_000;

/** A comment, which says that the stream lives: proxies end one that is silent for a minute. */
export const signOfLife = ": keep-alive\n\n";

/** Begins the answer, with the headers that the reply has. The route answers nothing else. */
export function beginEventStream(reply: FastifyReply, unreadMs = longestUnreadMs): EventStream {
  reply.type("text/event-stream; charset=utf-8");
  // A proxy passes each event on as it comes.
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
