import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test } from "vitest";
import { fastifyWebhooks } from "../../../../packages/webhooks/src/handlers/fastify.ts";
import { fetchHandler, honoHandler } from "../../../../packages/webhooks/src/handlers/fetch.ts";
import { expressHandler, nodeHandler } from "../../../../packages/webhooks/src/handlers/node.ts";
import { createReceive, type ReceiverOptions } from "../../../../packages/webhooks/src/receive.ts";
import { rememberInProcess } from "../../../../packages/webhooks/src/remember.ts";
import { testBodyOf } from "../../../../src/domain/delivery/sample-notification.ts";
import { newWebhookSecret } from "../../../../src/domain/webhook/secret.ts";
import { signatureHeaders } from "../../../../src/webhook/signature.ts";
import { waitFor } from "../../../support/wait-for.ts";

const secret = newWebhookSecret();

function signed(id: string) {
  const body = testBodyOf("webhook.test", id, new Date());
  const timestampSec = Math.floor(Date.now() / 1_000);
  const headers = signatureHeaders({
    secret,
    nextSecret: null,
    ed25519Keys: [],
    notificationId: id,
    timestampSec,
    body,
  });
  return { method: "POST", body, headers: { ...headers, "content-type": "application/json" } };
}

type Post = (init: RequestInit) => Promise<number>;

async function listening(server: Server): Promise<Post> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async (init) => (await fetch(`http://127.0.0.1:${port}/webhook`, init)).status;
}

const frameworks: [string, (options: ReceiverOptions) => Promise<Post>][] = [
  ["node:http", (options) => listening(createServer(nodeHandler(options)))],
  [
    "Express",
    (options) => listening(createServer(express().post("/webhook", expressHandler(options)))),
  ],
  [
    "Express after express.raw",
    (options) => {
      const raw = express.raw({ type: "*/*" });
      return listening(createServer(express().post("/webhook", raw, expressHandler(options))));
    },
  ],
  [
    "Fastify",
    async (options) => {
      const fastify = Fastify();
      await fastify.register(fastifyWebhooks({ ...options, path: "/webhook" }));
      const url = await fastify.listen({ port: 0 });
      onTestFinished(() => fastify.close());
      return async (init) => (await fetch(`${url}/webhook`, init)).status;
    },
  ],
  [
    "Hono",
    async (options) => {
      const app = new Hono().post("/webhook", honoHandler(options));
      return async (init) => (await app.request("http://hono.test/webhook", init)).status;
    },
  ],
  [
    "Request and Response",
    async (options) => {
      const handle = fetchHandler(options);
      return async (init) => (await handle(new Request("http://fetch.test/", init))).status;
    },
  ],
];

describe.each(frameworks)("a receiver on %s", (_, open) => {
  test("handles each notification once, asks again for what failed, and refuses the rest", async () => {
    const handled: string[] = [];
    const refused: string[] = [];
    let failures = 1;
    const post = await open({
      secret,
      onNotification: ({ id }) => {
        if (id === "fails-once" && failures-- > 0) throw new Error("the database is down");
        handled.push(id);
      },
      onRefused: ({ code }) => refused.push(code),
    });

    expect(await post(signed("one"))).toBe(204);
    expect(await post(signed("one"))).toBe(204);
    expect(await post(signed("fails-once"))).toBe(500);
    expect(await post(signed("fails-once"))).toBe(204);
    const genuine = signed("two");
    expect(await post({ ...genuine, body: genuine.body.replace("TEST", "ETH") })).toBe(401);
    expect(await post({ ...genuine, headers: {} })).toBe(401);
    expect(await post({ ...genuine, body: "x".repeat(300_000) })).toBe(413);

    expect(handled).toEqual(["one", "fails-once"]);
    expect(refused).toEqual(["wrong_signature", "missing_header"]);
  });
});

test("a weak secret is refused when the handler is made, not when money arrives", () => {
  for (const weak of ["", "whsec_", "whsec_c2hvcnQ="]) {
    expect(() => nodeHandler({ secret: weak, onNotification: () => undefined })).toThrow("whsec_");
  }
});

test("aborted, endless and slow bodies neither end the process nor hold the handler", async () => {
  const handled: string[] = [];
  const server = createServer(
    nodeHandler({ secret, bodyTimeoutMs: 200, onNotification: ({ id }) => handled.push(id) }),
  );
  const post = await listening(server);
  const { port } = server.address() as AddressInfo;
  const open = async (text: string) => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(text);
    return { socket, closed: once(socket, "close").then(() => answer) };
  };
  const head = "POST /webhook HTTP/1.1\r\nhost: a\r\ncontent-length: ";
  const aborted = await open(`${head}100\r\n\r\nhalf`);
  aborted.socket.resetAndDestroy();
  await aborted.closed;
  const slow = await open(`${head}100\r\n\r\nhalf`);
  expect(await slow.closed).toContain("408");
  const endless = await open(`${head}99999999\r\n\r\n${"x".repeat(400_000)}`);
  expect(await endless.closed).toContain("413");

  expect(await post(signed("after"))).toBe(204);
  expect(handled).toEqual(["after"]);
});

test("a repetition that comes while the first is being handled gets its answer, and is handled if it fails", async () => {
  let fail = (_error: Error) => {};
  const failed = new Promise<void>((_, reject) => {
    fail = reject;
  });
  let calls = 0;
  const receive = createReceive({
    secret,
    onNotification: async () => {
      calls += 1;
      if (calls === 1) await failed;
    },
  });
  const { body, headers } = signed("slow");
  const first = receive(body, headers);
  const second = receive(body, headers);
  fail(new Error("the database is down"));
  expect(await Promise.all([first, second])).toEqual([500, 500]);
  expect(await receive(body, headers)).toBe(204);
  expect(calls).toBe(2);
});

test("a repetition in another process that shares the memory is not answered as handled, and comes again", async () => {
  const memory = rememberInProcess();
  const ends: ((outcome: Error | undefined) => void)[] = [];
  const begun: string[] = [];
  const onNotification = ({ id }: { id: string }) =>
    new Promise<void>((resolve, reject) => {
      begun.push(id);
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  const open = () => createReceive({ secret, memory, onNotification });
  const [first, second] = [open(), open()];
  const { body, headers } = signed("01a1fbc6-c76e-721e-8ff9-feb2f46761c3");
  const answer = first(body, headers);
  await waitFor(() => begun.length === 1, { what: "the first call", timeoutMs: 5_000 });
  expect(await second(body, headers)).toBe(500);
  ends[0]?.(new Error("the process is dying"));
  expect(await answer).toBe(500);
  const again = second(body, headers);
  await waitFor(() => begun.length === 2, { what: "the second call", timeoutMs: 5_000 });
  ends[1]?.(undefined);
  expect(await again).toBe(204);
  expect(await first(body, headers)).toBe(204);
  expect(begun).toHaveLength(2);
});
