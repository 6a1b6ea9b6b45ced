import { AsyncLocalStorage } from "node:async_hooks";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { FastifyReply } from "fastify";
import { isTurnOver, nextTurn } from "../../domain/in-slices.ts";

/** Handed to the connection at once, in characters. */
const chunkLength = 64 * 1024;

type Part = string | Uint8Array;

/**
 * Sends texts, or bytes, as they come, in constant memory: no more is read ahead of a slow client
 * than the texts themselves read ahead. A client that leaves ends the reading. An error on the way
 * closes the connection without the last chunk, so that a client sees that the answer is not whole.
 */
export function sendTexts(reply: FastifyReply, texts: AsyncIterable<Part>): FastifyReply {
  return reply.send(readableOf(texts));
}

/**
 * Sends texts as sendTexts does, and resolves once the last one is handed to the connection. It
 * rejects where they are not sent whole, as when the signal is aborted.
 */
export async function sendAllTexts(
  reply: FastifyReply,
  texts: AsyncIterable<Part>,
  signal: AbortSignal,
): Promise<void> {
  const readable = readableOf(texts, signal);
  reply.send(readable);
  await finished(readable);
}

function readableOf(texts: AsyncIterable<Part>, signal?: AbortSignal): Readable {
  const options = { highWaterMark: 1, ...(signal === undefined ? {} : { signal }) };
  return Readable.from(inContext(chunksOf(texts)), options);
}

/**
 * The texts, each made on behalf of whoever this is called for: the connection asks for the next
 * one when it has room, and works on nobody's behalf.
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
    // The next ones may be there already: the others have their turn first.
    if (isTurnOver()) await nextTurn();
  }
  if (chunk !== "") yield chunk;
}
