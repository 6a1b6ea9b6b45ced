import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newWebhookSecret } from "../../../src/domain/delivery/secret.ts";
import { verify } from "../../../src/receiver/verify.ts";
import { signatureHeaders } from "../../../src/webhook/signature.ts";

const secret = newWebhookSecret();
const nextSecret = newWebhookSecret();
const rawBody = JSON.stringify({ id: "018f", amount: "1.5" });
const nowSec = 1_750_000_000;

const headersOf = (own: { nextSecret?: string; timestampSec?: number } = {}) =>
  signatureHeaders({
    secret,
    nextSecret: null,
    notificationId: "018f",
    timestampSec: nowSec,
    body: rawBody,
    ...own,
  });
const check = (own: Partial<Parameters<typeof verify>[0]>) =>
  verify({ rawBody, headers: headersOf(), secret, toleranceSec: 300, nowSec, ...own });
const plainOf = (key: string) => ({
  "x-webhook-signature": createHmac("sha256", key).update(rawBody).digest("hex"),
});

describe("the receiver's kit", () => {
  it("believes what Chainbell signs, in either form, and gives the notification", () => {
    expect(check({})).toEqual({
      genuine: true,
      form: "standard",
      notification: JSON.parse(rawBody),
    });
    expect(check({ headers: plainOf(secret) })).toMatchObject({ genuine: true, form: "plain" });
    expect(check({ rawBody: Buffer.from(rawBody) })).toMatchObject({ genuine: true });
  });

  it("believes during an overlap with the old secret, the new one, or both", () => {
    const headers = headersOf({ nextSecret });
    for (const known of [secret, nextSecret, [secret, nextSecret]]) {
      expect(check({ headers, secret: known })).toMatchObject({ genuine: true });
    }
    const { "webhook-signature": _, ...plain } = headers;
    for (const known of [secret, nextSecret]) {
      expect(check({ headers: plain, secret: known })).toMatchObject({
        genuine: true,
        form: "plain",
      });
    }
  });

  const refused: [string, Partial<Parameters<typeof verify>[0]>, string][] = [
    ["another secret", { secret: nextSecret }, "wrong_signature"],
    ["a changed body", { rawBody: `${rawBody} ` }, "wrong_signature"],
    ["no signature", { headers: {} }, "missing_signature"],
    ["no id", { headers: { ...headersOf(), "webhook-id": undefined } }, "missing_signature"],
    ["another id", { headers: { ...headersOf(), "webhook-id": "018e" } }, "wrong_signature"],
    [
      "a timestamp that is none",
      { headers: { ...headersOf(), "webhook-timestamp": "now" } },
      "bad_timestamp",
    ],
    [
      "a changed timestamp",
      { headers: { ...headersOf(), "webhook-timestamp": String(nowSec + 1) } },
      "wrong_signature",
    ],
    ["an old request", { headers: headersOf({ timestampSec: nowSec - 301 }) }, "outside_tolerance"],
    [
      "a request from the future",
      { headers: headersOf({ timestampSec: nowSec + 301 }) },
      "outside_tolerance",
    ],
    ["a plain signature of another secret", { headers: plainOf(nextSecret) }, "wrong_signature"],
    [
      "a plain signature that is no hexadecimal",
      { headers: { "x-webhook-signature": "zz" } },
      "wrong_signature",
    ],
    [
      "a standard signature of a later version",
      { headers: { ...headersOf(), "webhook-signature": "v9,AAAA" } },
      "wrong_signature",
    ],
  ];
  it.each(refused)("refuses %s", (_, own, reason) => {
    expect(check(own)).toEqual({ genuine: false, reason });
  });

  it("still believes at the edge of the tolerance", () => {
    for (const timestampSec of [nowSec - 300, nowSec + 300]) {
      expect(check({ headers: headersOf({ timestampSec }) })).toMatchObject({ genuine: true });
    }
  });
});
