import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

/** A notification that arrived. Its signature was verified in both ways. */
export type Arrival = {
  id: string;
  event: string;
  data: { type: string; amount: string; asset: string; status: string; txHash: string };
  arrivedAtMs: number;
};

export type DemoReceiver = {
  url: string;
  /** Sets the secret shown at registration. Without it, every request is refused. */
  useSecret: (secret: string) => void;
  /** Answers the next requests with 500. */
  failNext: (count: number) => void;
  /** Resolves with the next arrival, whatever was answered. Rejects after `timeoutMs`. */
  next: (timeoutMs: number) => Promise<Arrival>;
  close: () => Promise<void>;
};

/**
 * A business's receiver, as a business would write it: one HTTP endpoint that verifies, then
 * answers.
 */
export async function startReceiver(): Promise<DemoReceiver> {
  const waiting: ((arrival: Arrival) => void)[] = [];
  const arrived: Arrival[] = [];
  const state = { secret: "", failures: 0 };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const rawBody = Buffer.concat(chunks);
      if (!isGenuine(request.headers, rawBody, state.secret)) {
        response.writeHead(401).end();
        return;
      }
      const notification: Omit<Arrival, "arrivedAtMs"> = JSON.parse(rawBody.toString());
      const arrival = { ...notification, arrivedAtMs: Date.now() };
      const isRefused = state.failures > 0;
      if (isRefused) state.failures -= 1;
      response.writeHead(isRefused ? 500 : 204).end();
      const waiter = waiting.shift();
      if (waiter === undefined) arrived.push(arrival);
      else waiter(arrival);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");

  return {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    useSecret(secret) {
      state.secret = secret;
    },
    failNext(count) {
      state.failures = count;
    },
    next(timeoutMs) {
      const early = arrived.shift();
      if (early !== undefined) return Promise.resolve(early);
      return new Promise((resolve, reject) => {
        const late = () => reject(new Error(`No notification arrived within ${timeoutMs} ms.`));
        const timer = setTimeout(late, timeoutMs);
        waiting.push((arrival) => {
          clearTimeout(timer);
          resolve(arrival);
        });
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Headers = Record<string, string | string[] | undefined>;

/** Verifies twice: with only node:crypto, and with the public Standard Webhooks library. */
function isGenuine(headers: Headers, rawBody: Buffer, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(rawBody).digest("hex");
  const given = String(headers["x-webhook-signature"]);
  const isSame =
    given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
  try {
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    new Webhook(secret).verify(rawBody, Object.fromEntries(texts));
    return isSame;
  } catch {
    return false;
  }
}
