import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** Handed to the connection at once, in characters. */
const chunkLength = 64 * 1024;

/**
 * Sends texts as they come, in constant memory: nothing is read ahead of a client that is slow. A
 * client that leaves ends the reading. An error on the way closes the connection without the last
 * chunk, so that a client sees that the answer is not whole.
 */
export function sendTexts(reply: FastifyReply, texts: AsyncIterable<string>): FastifyReply {
  return reply.send(Readable.from(chunksOf(texts), { highWaterMark: 1 }));
}

async function* chunksOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}
