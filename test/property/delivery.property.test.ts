import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { nextAttempt } from "../../src/domain/delivery/retry-schedule.ts";
import { signatureHeaders } from "../../src/webhook/signature.ts";

const dayMs = 24 * 60 * 60 * 1000;

const secrets = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`);

const messages = fc.record({
  secret: secrets,
  notificationId: fc.uuid(),
  body: fc
    .dictionary(fc.string(), fc.string({ unit: "binary" }))
    .map((data) => JSON.stringify({ data })),
});

function signed(message: {
  secret: string;
  nextSecret?: string;
  notificationId: string;
  body: string;
}) {
  const timestampSec = Math.floor(Date.now() / 1000);
  return signatureHeaders({ nextSecret: null, ed25519Keys: [], ...message, timestampSec });
}

describe("the signature", () => {
  it("in an overlap holds for whoever knows either secret, and its plain form for the old one", () => {
    fc.assert(
      fc.property(messages, messages, (message, { secret: nextSecret }) => {
        const headers = signed({ ...message, nextSecret });
        for (const secret of [message.secret, nextSecret])
          new Webhook(secret).verify(message.body, headers);
        const plain = (secret: string) =>
          createHmac("sha256", secret).update(message.body).digest("hex");
        expect(headers["x-webhook-signature"]).toBe(plain(message.secret));
        expect(headers["x-webhook-signature-next"]).toBe(plain(nextSecret));
      }),
    );
  });

  it("is what node:crypto makes of the raw body and the secret as shown", () => {
    fc.assert(
      fc.property(messages, (message) => {
        const expected = createHmac("sha256", message.secret).update(message.body).digest("hex");
        expect(signed(message)["x-webhook-signature"]).toBe(expected);
      }),
    );
  });

  it("is accepted by the standardwebhooks library", () => {
    fc.assert(
      fc.property(messages, (message) => {
        const verifier = new Webhook(message.secret);
        expect(() => verifier.verify(message.body, signed(message))).not.toThrow();
      }),
    );
  });

  it("fails for a body with any byte changed, and for any other secret", () => {
    fc.assert(
      fc.property(messages, secrets, fc.nat(), (message, otherSecret, position) => {
        fc.pre(otherSecret !== message.secret);
        const bytes = Buffer.from(message.body);
        const index = position % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ 1;
        const headers = signed(message);
        const plain = createHmac("sha256", message.secret).update(bytes).digest("hex");
        expect(headers["x-webhook-signature"]).not.toBe(plain);
        expect(() => new Webhook(message.secret).verify(bytes, headers)).toThrow();
        expect(() => new Webhook(otherSecret).verify(message.body, headers)).toThrow();
      }),
    );
  });
});

describe("the wait before a retry", () => {
  const cases = fc.record({
    schedule: fc.array(fc.nat({ max: dayMs }), { minLength: 1, maxLength: 12 }),
    attempt: fc.integer({ min: 1, max: 15 }),
    maxAttempts: fc.option(fc.integer({ min: 1, max: 15 }), { nil: null }),
    retryAfterMs: fc.option(fc.nat({ max: 10 * dayMs }), { nil: null }),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });

  it("is within 20 % of the schedule, or what the receiver asked for up to a day", () => {
    fc.assert(
      fc.property(cases, (failed) => {
        const next = nextAttempt(failed);
        const limit = Math.min(
          failed.schedule.length,
          failed.maxAttempts ?? Number.POSITIVE_INFINITY,
        );
        expect(next.kind === "exhausted").toBe(failed.attempt >= limit);
        if (next.kind === "exhausted") return;
        const planMs = failed.schedule[failed.attempt] ?? Number.NaN;
        const askedMs = Math.min(failed.retryAfterMs ?? 0, dayMs);
        expect(next.delayMs).toBeGreaterThanOrEqual(Math.max(Math.floor(planMs * 0.8), askedMs));
        expect(next.delayMs).toBeLessThanOrEqual(Math.max(Math.ceil(planMs * 1.2), askedMs));
      }),
    );
  });

  it("comes to an end, whatever the receiver says", () => {
    fc.assert(
      fc.property(cases, (failed) => {
        let attempt = 1;
        while (nextAttempt({ ...failed, attempt }).kind === "retry") attempt += 1;
        expect(attempt).toBeLessThanOrEqual(failed.schedule.length);
      }),
    );
  });
});
