import { AsyncLocalStorage } from "node:async_hooks";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isTurnOver, nextTurn } from "../../domain/in-slices.ts";

/** The characters that are given to the connection at once. */
const chunkLength = 64 * 1024;

export type Part = string | Uint8Array;

/**
 * Streams texts or bytes in constant memory, and resolves once the last one is given to the
 * connection. A slow client slows the reading down: only what the source itself reads ahead is in
 * memory. If the client disconnects, the reading ends. An error breaks the answer off (see
 * breakOff).
 * @throws if not all are sent, for example because the signal is aborted
 */
export async function sendAllTexts(
  reply: FastifyReply,
  texts: AsyncIterable<Part>,
  signal: AbortSignal,
): Promise<void> {
  const readable = readableOf(texts, signal);
  // Before the first text, the answer is the error itself.
  readable.once("error", () => {
    if (reply.raw.headersSent) breakOff(reply);
  });
  reply.send(readable);
  await finished(readable);
}

/**
 * Ends an answer early, so that its client sees that it is incomplete: HTTP/1.1 lacks the last
 * chunk. HTTP/1.0 takes no chunks (RFC 9112 section 6.1). There the end of the connection is the
 * end of the answer. So that connection is reset.
 */
export function breakOff({ request, raw }: FastifyReply): void {
  if (takesChunks(request)) raw.destroy();
  else request.raw.socket.resetAndDestroy();
}

/** True if the answer may have chunks and trailers. */
export function takesChunks({ raw }: FastifyRequest): boolean {
  return raw.httpVersion !== "1.0";
}

function readableOf(texts: AsyncIterable<Part>, signal: AbortSignal): Readable {
  return Readable.from(inContext(chunksOf(texts)), { highWaterMark: 1, signal });
}

/**
 * The texts, each made on behalf of this caller's owner. The connection asks for the next text
 * whenever it has room, which is outside of any owner's work.
 */
function inContext(texts: AsyncGenerator<Part, void, void>): AsyncIterable<Part> {
  const inside = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => inside(() => texts.next()),
      return: () => inside(() => texts.return()),
    }),
  };
}

async function* chunksOf(texts: AsyncIterable<Part>): AsyncGenerator<Part, void, void> {
  let chunk = "";
  for await (const text of texts) {
    if (typeof text === "string") chunk += text;
    if (typeof text === "string" && chunk.length < chunkLength) continue;
    if (chunk !== "") yield chunk;
    chunk = "";
    if (typeof text !== "string") yield text;
    // The next texts may be ready already, so other requests get a turn first.
    if (isTurnOver()) await nextTurn();
  }
  if (chunk !== "") yield chunk;
}
