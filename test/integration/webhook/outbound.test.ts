import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verify } from "../../../packages/webhooks/src/verify.ts";
import { testBodyOf } from "../../../src/domain/delivery/sample-notification.ts";
import { newEd25519Pair } from "../../../src/domain/webhook/ed25519.ts";
import { nothingAdded } from "../../../src/domain/webhook/outbound.ts";
import { type Receiver, startReceiver } from "../../support/delivery/receiver.ts";
import { createSenders, notify, production, sent } from "./senders.ts";

const read = (name: string) => readFileSync(new URL(`./tls/${name}`, import.meta.url), "utf8");
const toLoopback = async () => ["127.0.0.1"];

let receiver: Receiver;
let senders: ReturnType<typeof createSenders>;
let servers: Server[];

beforeEach(async () => {
  receiver = await startReceiver();
  senders = createSenders();
  servers = [];
});

afterEach(async () => {
  await senders.close();
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await receiver.stop();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A receiver for `hook.test` that says who its client is by certificate. */
const startTlsReceiver = (clientCa: string | undefined) =>
  listen(
    createTlsServer(
      {
        key: read("server-key.pem"),
        cert: read("server.pem"),
        ...(clientCa === undefined ? {} : { requestCert: true, ca: clientCa }),
      },
      ({ socket }, response) => {
        const { subject } = (socket as TLSSocket).getPeerCertificate();
        response.end(`to ${subject?.CN ?? "nobody"}`);
      },
    ),
  );

describe("what a business adds to its requests", () => {
  it("is sent beside what Chainbell sends", async () => {
    const headers = { Authorization: "Bearer abc", "X-Tenant": "seven" };
    await notify(senders.open({}), receiver.url, { outbound: { headers } });
    expect(receiver.requests[0]?.headers).toMatchObject({
      authorization: "Bearer abc",
      "x-tenant": "seven",
      "webhook-id": sent.notificationId,
    });
  });

  it("is a signature that the public key verifies, beside the secret's", async () => {
    const { privateKey, publicKey } = newEd25519Pair();
    const body = testBodyOf("webhook.test", sent.notificationId, new Date());
    const outbound = { ...nothingAdded, ed25519Keys: [privateKey] };
    const { signal } = new AbortController();
    await senders.open({}).post({ ...sent, url: receiver.url, body, outbound }, signal);
    const { rawBody, headers } = receiver.requests[0] ?? {};
    for (const key of [publicKey, sent.secret])
      expect(verify(rawBody ?? "", headers ?? {}, key).id).toBe(sent.notificationId);
  });

  it("is a certificate, on connections that nobody else uses", async () => {
    const port = await startTlsReceiver(read("client.pem"));
    const sender = senders.open({ resolve: toLoopback, extraCa: read("ca.pem") });
    const clientCertificate = read("client.pem") + read("client-key.pem");
    const url = `https://hook.test:${port}/`;
    const shown = () => notify(sender, url, { outbound: { clientCertificate } });
    expect(await shown()).toMatchObject({ response: "to chainbell test client" });
    expect((await notify(sender, url)).kind, "without it").toBe("unanswered");
    expect(await shown()).toMatchObject({ response: "to chainbell test client" });
  });
});

describe("an exception of webhooks.allow for one business", () => {
  it("opens its target to that one alone, also while a connection is open", async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const cidr = "127.0.0.0/8";
    const allow = [{ cidr, ports: [receiver.port], http: true, businesses: [one] }];
    const sender = senders.open({ policy: { ...production, allow }, resolve: toLoopback });
    const url = `http://inner.test:${receiver.port}/hook`;
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await notify(sender, url, { businessId: one })).toMatchObject({
        statusCode: 200,
        response: null,
      });
      expect(await notify(sender, url, { businessId: other })).toMatchObject({
        errorKind: "target_refused",
      });
    }
    expect(receiver.requests).toHaveLength(2);
  });
});

describe("a proxy", () => {
  type Asked = { path: string; authorization: string | undefined };

  /** Knows CONNECT, and answers it with that status. */
  async function startProxy(status = 200) {
    const asked: Asked[] = [];
    const server = createServer();
    server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
      const path = request.url ?? "";
      asked.push({ path, authorization: request.headers["proxy-authorization"] });
      if (status !== 200) {
        client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
        return;
      }
      const target = connect(Number(path.split(":").at(-1)), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connected\r\n\r\n");
        if (head.length > 0) target.write(head);
        target.pipe(client).pipe(target);
      });
      for (const end of [client, target])
        end.on("error", () => {}).on("close", () => [client, target].map((one) => one.destroy()));
    });
    const port = await listen(server);
    return { asked, port, url: `http://user:pass%20word@127.0.0.1:${port}` };
  }

  it("is asked for the address that was checked, and the receiver's certificate is checked through it", async () => {
    const proxy = await startProxy();
    const port = await startTlsReceiver(undefined);
    const options = { resolve: toLoopback, proxyUrl: proxy.url };
    const trusting = senders.open({ ...options, extraCa: read("ca.pem") });
    expect(await notify(trusting, `https://hook.test:${port}/`)).toMatchObject({ statusCode: 200 });
    const authorization = `Basic ${Buffer.from("user:pass word").toString("base64")}`;
    expect(proxy.asked).toEqual([{ path: `127.0.0.1:${port}`, authorization }]);
    expect(await notify(trusting, `https://other.test:${port}/`)).toMatchObject({
      errorKind: "tls",
    });
    expect(await notify(senders.open(options), `https://hook.test:${port}/`)).toMatchObject({
      errorKind: "tls",
    });
  });

  it("carries http too, and every connection goes through it", async () => {
    const proxy = await startProxy();
    const sender = senders.open({ proxyUrl: proxy.url });
    expect(await notify(sender, receiver.url)).toMatchObject({ statusCode: 200 });
    expect(proxy.asked).toHaveLength(1);
    expect(receiver.requests).toHaveLength(1);
  });

  it("is not asked for what the target guard refuses", async () => {
    const proxy = await startProxy();
    const inwards = senders.open({
      policy: production,
      proxyUrl: proxy.url,
      resolve: async () => ["169.254.169.254"],
    });
    for (const url of ["https://hook.test/", "https://10.0.0.1/", "https://[::1]/"])
      expect(await notify(inwards, url)).toMatchObject({ errorKind: "target_refused" });
    expect(proxy.asked).toEqual([]);
  });

  it("is a failed attempt when it refuses or is not there", async () => {
    const refusing = await startProxy(407);
    const failed = { kind: "unanswered", errorKind: "connection" };
    expect(await notify(senders.open({ proxyUrl: refusing.url }), receiver.url)).toMatchObject(
      failed,
    );
    const gone = senders.open({ proxyUrl: "http://127.0.0.1:1" });
    expect(await notify(gone, receiver.url)).toMatchObject(failed);
    expect(receiver.requests).toEqual([]);
  });
});
