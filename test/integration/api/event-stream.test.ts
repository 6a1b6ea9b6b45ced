import { connect } from "node:net";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { beginEventStream, type EventStream } from "../../../src/api/http/event-stream.ts";
import { waitFor } from "../../support/wait-for.ts";

const timeoutMs = 15_000;

/** More than the buffers of both sides hold. */
const long = `data: ${"x".repeat(32 * 1_024 * 1_024)}\n\n`;

/** A stream that a client has asked for and reads only when it is told to. */
async function opened(unreadMs: number) {
  const web = fastify();
  const streams: EventStream[] = [];
  web.get("/", async (_request, reply) => {
    streams.push(beginEventStream(reply, unreadMs));
  });
  const { port } = new URL(await web.listen({ host: "127.0.0.1", port: 0 }));
  const socket = connect(Number(port), "127.0.0.1").pause();
  let isClosed = false;
  // A close that the client has not read up to arrives as a reset.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    isClosed = true;
  });
  onTestFinished(async () => {
    socket.destroy();
    await web.close();
  });
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const stream = await waitFor(() => streams[0], { what: "the stream", timeoutMs });
  const closed = () => waitFor(() => isClosed, { what: "the client's close", timeoutMs });
  return { stream, socket, closed };
}

const never = new AbortController().signal;

test("a stream that is not read in time is closed", async () => {
  const { stream, socket, closed } = await opened(300);
  expect(await stream.sendRead(long, never)).toBe(false);
  socket.resume();
  await closed();
  expect(await stream.sendRead("data: 1\n\n", never)).toBe(false);
});

test("a stream that is not read is closed when it has to end", async () => {
  const { stream, socket, closed } = await opened(600_000);
  const ending = new AbortController();
  const sent = stream.sendRead(long, ending.signal);
  ending.abort();
  expect(await sent).toBe(false);
  socket.resume();
  await closed();
});

test("a stream that is read late, but in time, goes on; one whose reader goes away ends", async () => {
  const { stream, socket } = await opened(600_000);
  const first = stream.sendRead(long, never);
  socket.resume();
  expect(await first).toBe(true);
  socket.pause();
  const second = stream.sendRead(long, never);
  socket.destroy();
  expect(await second).toBe(false);
});

test("a sign of life to a stream with too much unread closes it", async () => {
  const { stream, socket, closed } = await opened(600_000);
  stream.send(long);
  stream.send(": keep-alive\n\n");
  socket.resume();
  await closed();
});
