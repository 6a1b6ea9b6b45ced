import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ResolveHost } from "../../../src/webhook/resolve-host.ts";
import { type Receiver, startReceiver } from "../../support/delivery/receiver.ts";
import { freePort } from "../../support/process/free-port.ts";
import { createSenders, notify, production, sent } from "./senders.ts";

const { secret, body, notificationId } = sent;

let receiver: Receiver;
let senders: ReturnType<typeof createSenders>;

beforeEach(async () => {
  receiver = await startReceiver();
  senders = createSenders();
});

afterEach(async () => {
  await senders.close();
  await receiver.stop();
});

const open: typeof senders.open = (own) => senders.open(own);

describe("the sender", () => {
  it("posts exactly the body, with the signatures of both kinds", async () => {
    const result = await notify(open({}), `${receiver.url}?a=b`);
    expect(result).toMatchObject({ kind: "answered", statusCode: 200, response: "" });
    const [request] = receiver.requests;
    expect(request?.method).toBe("POST");
    expect(request?.path).toBe("/hook?a=b");
    expect(request?.rawBody.toString()).toBe(body);
    const headers = request?.headers ?? {};
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Chainbell/1.2.3",
      "webhook-id": notificationId,
      "x-webhook-signature": createHmac("sha256", secret).update(body).digest("hex"),
    });
    expect(headers["webhook-previous"]).toBeUndefined();
    const verifier = new Webhook(secret);
    expect(() => verifier.verify(body, headers as Record<string, string>)).not.toThrow();
  });

  it("names the notification before it, where there is one", async () => {
    const previousId = "0199c2a1-0000-7000-8000-000000000001";
    await notify(open({}), receiver.url, { previousId });
    expect(receiver.requests[0]?.headers["webhook-previous"]).toBe(previousId);
  });

  it("keeps connections open for the next ones", async () => {
    const sender = open({});
    const ports = new Set<number | undefined>();
    receiver.answerAlways({
      kind: "handler",
      handle(_received, response) {
        ports.add(response.socket?.remotePort);
        response.end("ok");
      },
    });
    for (let turn = 0; turn < 20; turn += 1) await notify(sender, receiver.url);
    // One may still be busy with the end of its answer when the next notify comes.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it("does not follow redirects", async () => {
    const other = await startReceiver();
    try {
      receiver.answerNext({ kind: "status", status: 302, headers: { location: other.url } });
      expect(await notify(open({}), receiver.url)).toMatchObject({ statusCode: 302 });
      expect(other.requests).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it.each([{ kind: "hang" } as const, { kind: "drip", everyMs: 10 } as const])(
    "gives up when a receiver does not come to an end: $kind",
    async (answer) => {
      receiver.answerNext(answer);
      const result = await notify(open({ timeoutMs: 300 }), receiver.url);
      expect(result).toMatchObject({ kind: "unanswered", errorKind: "timeout" });
    },
  );

  it("gives up when a name is not resolved in time", async () => {
    const sender = open({ timeoutMs: 200, resolve: () => new Promise(() => {}) });
    const result = await notify(sender, "https://hook.test/");
    expect(result).toMatchObject({ errorKind: "timeout" });
  });

  it("reads at most 64 KB and stores 1 KB", async () => {
    let sizeBytes = 0;
    receiver.answerNext({
      kind: "handler",
      handle(_received, response) {
        const chunk = Buffer.alloc(16 * 1024, "x");
        const write = () => {
          while (!response.destroyed && response.write(chunk)) sizeBytes += chunk.length;
          response.once("drain", write);
        };
        write();
      },
    });
    const result = await notify(open({}), receiver.url);
    expect(result).toMatchObject({ statusCode: 200, response: "x".repeat(1024) });
    expect(sizeBytes).toBeLessThan(64 * 1024 * 1024);
  });

  it("stores an answer as valid UTF-8 without NUL, whatever it was", async () => {
    receiver.answerNext(
      { kind: "status", status: 500, body: Buffer.from([0x61, 0x00, 0xff, 0xfe, 0xc3, 0xa9]) },
      { kind: "status", status: 500, body: `${"x".repeat(1023)}é` },
    );
    const sender = open({});
    expect(await notify(sender, receiver.url)).toMatchObject({ response: "a\ufffd\ufffd\ufffdé" });
    expect(await notify(sender, receiver.url)).toMatchObject({ response: "x".repeat(1023) });
  });

  it("understands Retry-After in seconds and as a date", async () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    for (const value of ["120", inAMinute, "soon", "-5", ""]) {
      receiver.answerNext({ kind: "status", status: 429, headers: { "retry-after": value } });
    }
    const sender = open({});
    const pauses: (number | null)[] = [];
    for (let index = 0; index < 5; index += 1) {
      const result = await notify(sender, receiver.url);
      pauses.push(result.kind === "answered" ? result.retryAfterMs : Number.NaN);
    }
    expect([pauses[0], ...pauses.slice(2)]).toEqual([120_000, null, null, null]);
    expect(pauses[1]).toBeGreaterThan(30_000);
    expect(pauses[1]).toBeLessThanOrEqual(60_000);
  });

  it("reports when nobody listens, and when the connection is reset", async () => {
    const sender = open({});
    const closed = await freePort();
    expect(await notify(sender, `http://127.0.0.1:${closed}/`)).toMatchObject({
      errorKind: "connection",
    });
    receiver.answerNext({ kind: "reset" });
    expect(await notify(sender, receiver.url)).toMatchObject({ errorKind: "connection" });
  });

  it("reports when a name is not known", async () => {
    const sender = open({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    expect(await notify(sender, "https://hook.test/")).toMatchObject({ errorKind: "dns" });
    const empty = open({ resolve: async () => [] });
    expect(await notify(empty, "https://hook.test/")).toMatchObject({ errorKind: "dns" });
  });
});

describe("the sender's target guard", () => {
  const refused = { kind: "unanswered", errorKind: "target_refused" };

  it.each(["http://127.0.0.1", "http://2130706433", "http://[::1]", "http://[::ffff:127.0.0.1]"])(
    "does not connect to %s in production",
    async (origin) => {
      const result = await notify(open({ policy: production }), `${origin}:${receiver.port}/`);
      expect(result).toMatchObject(refused);
      expect(receiver.requests).toEqual([]);
    },
  );

  it("checks what a name resolves to when it connects, not what it was", async () => {
    const answers = [["127.0.0.1"], ["169.254.169.254"]];
    const sender = open({ resolve: async () => answers.shift() ?? [] });
    const url = `http://hook.test:${receiver.port}/`;
    receiver.answerNext({ kind: "status", status: 200, headers: { connection: "close" } });
    expect(await notify(sender, url)).toMatchObject({ statusCode: 200 });
    expect(await notify(sender, url)).toMatchObject(refused);
    expect(receiver.requests).toHaveLength(1);
  });

  it("refuses a name when any of its addresses is refused", async () => {
    const sender = open({ policy: production, resolve: async () => ["8.8.8.8", "127.0.0.1"] });
    expect(await notify(sender, "https://hook.test/")).toMatchObject(refused);
  });

  it("withholds the answer of a target that webhooks.allow opened", async () => {
    const allow = [{ cidr: "127.0.0.0/8", ports: [receiver.port], http: true, businesses: null }];
    receiver.answerAlways({ kind: "status", status: 500, body: "inner secrets" });
    const sender = open({ policy: { ...production, allow } });
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await notify(sender, receiver.url)).toMatchObject({ statusCode: 500, response: null });
    }
    expect(await notify(open({}), receiver.url)).toMatchObject({ response: "inner secrets" });
    const named = open({ policy: { ...production, allow }, resolve: async () => ["127.0.0.1"] });
    for (const host of ["inner.test", "inner.test.", "INNER.test."]) {
      const url = `http://${host}:${receiver.port}/hook`;
      expect(await notify(named, url), host).toMatchObject({ statusCode: 500, response: null });
    }
  });
});

describe("the sender over TLS", () => {
  const folder = new URL("./tls/", import.meta.url);
  const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
  let server: Server;
  let port: number;

  beforeEach(async () => {
    const identity = { key: read("server-key.pem"), cert: read("server.pem") };
    server = createServer(identity, (_request, response) => response.end("heard"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const toLoopback: ResolveHost = async () => ["127.0.0.1"];

  it("delivers to a receiver with a certificate for its name", async () => {
    const sender = open({ resolve: toLoopback, extraCa: read("ca.pem") });
    const result = await notify(sender, `https://hook.test:${port}/`);
    expect(result).toMatchObject({ statusCode: 200, response: "heard" });
  });

  it("sends nothing to one with a certificate for another name, or by an unknown issuer", async () => {
    const trusting = open({ resolve: toLoopback, extraCa: read("ca.pem") });
    expect(await notify(trusting, `https://other.test:${port}/`)).toMatchObject({
      errorKind: "tls",
    });
    expect(await notify(trusting, `https://127.0.0.1:${port}/`)).toMatchObject({
      errorKind: "tls",
    });
    const sender = open({ resolve: toLoopback });
    expect(await notify(sender, `https://hook.test:${port}/`)).toMatchObject({ errorKind: "tls" });
  });

  it("says so when a receiver does not speak TLS", async () => {
    const result = await notify(open({}), `https://127.0.0.1:${receiver.port}/`);
    expect(result).toMatchObject({ errorKind: "tls" });
  });
});
