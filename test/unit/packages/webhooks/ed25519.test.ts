import { createPrivateKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type VerifyOptions, verify } from "../../../../packages/webhooks/src/verify.ts";
import { testBodyOf } from "../../../../src/domain/delivery/sample-notification.ts";
import { ed25519Signature, newEd25519Pair } from "../../../../src/domain/webhook/ed25519.ts";
import { newWebhookSecret } from "../../../../src/domain/webhook/secret.ts";
import { signatureHeaders } from "../../../../src/webhook/signature.ts";

const id = "0199c2a1-0000-7000-8000-000000000000";
const body = testBodyOf("webhook.test", id, new Date());
const secret = newWebhookSecret();
const { privateKey, publicKey } = newEd25519Pair();
const timestampSec = Math.floor(Date.now() / 1_000);
const sent = { secret, nextSecret: null, notificationId: id, timestampSec, body };
const headers = signatureHeaders({ ...sent, ed25519Keys: [privateKey] });

const codeOf = (
  key: string,
  own: { body?: string; headers?: object; options?: VerifyOptions } = {},
) => {
  try {
    return verify(own.body ?? body, { ...headers, ...own.headers }, key, own.options).id;
  } catch (error) {
    return Reflect.get(Object(error), "code");
  }
};

describe("a signature v1a", () => {
  it("stands beside v1, and each is verified by its own key", () => {
    expect(headers["webhook-signature"]).toMatch(/^v1,[\w+/=]+ v1a,[\w+/]{86}==$/);
    expect(codeOf(publicKey)).toBe(id);
    expect(codeOf(secret)).toBe(id);
  });

  it("does not hold for another body, id, time or key", () => {
    expect(codeOf(publicKey, { body: body.replace("webhook.test", "webhook.tost") })).toBe(
      "wrong_signature",
    );
    const other = { "webhook-id": "0199c2a1-0000-7000-8000-000000000001" };
    expect(codeOf(publicKey, { headers: other })).toBe("wrong_signature");
    const later = { "webhook-timestamp": String(timestampSec + 1) };
    expect(codeOf(publicKey, { headers: later })).toBe("wrong_signature");
    expect(codeOf(newEd25519Pair().publicKey)).toBe("wrong_signature");
  });

  it("is not replaced by a v1 that was made of the public key", () => {
    const forged = signatureHeaders({
      ...sent,
      secret: publicKey.replace("whpk_", "whsec_"),
      ed25519Keys: [],
    });
    expect(codeOf(publicKey, { headers: forged })).toBe("wrong_signature");
  });

  it("may be one of two while a rotation overlaps", () => {
    const next = newEd25519Pair();
    const both = signatureHeaders({ ...sent, ed25519Keys: [privateKey, next.privateKey] });
    for (const key of [publicKey, next.publicKey, secret])
      expect(codeOf(key, { headers: both })).toBe(id);
    expect(verify(body, both, [newEd25519Pair().publicKey, next.publicKey]).id).toBe(id);
    expect(codeOf(newEd25519Pair().publicKey, { headers: both })).toBe("wrong_signature");
  });

  it("verifies nothing in the plain form", () => {
    const options = { form: "plain" } as const;
    expect(codeOf(publicKey, { options })).toBe("weak_secret");
  });

  // RFC 8032, 7.1, TEST 1, in the forms of Standard Webhooks.
  it("is that of RFC 8032", () => {
    const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    const der = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
    const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const pem = key.export({ format: "pem", type: "pkcs8" }).toString();
    const expected =
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";
    expect(ed25519Signature(pem, "")).toBe(
      `v1a,${Buffer.from(expected, "hex").toString("base64")}`,
    );
  });
});
