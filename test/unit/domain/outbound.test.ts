import { describe, expect, it } from "vitest";
import {
  headersToLines,
  openOutbound,
  refusedHeader,
} from "../../../src/domain/webhook/outbound.ts";

describe("a header that a business adds", () => {
  it.each([
    "Host",
    "content-length",
    "Content-Type",
    "Transfer-Encoding",
    "connection",
    "Expect",
    "User-Agent",
    "Accept-Encoding",
    "Proxy-Authorization",
    "X-Forwarded-For",
    "Forwarded",
    "X-Real-IP",
    "Client-IP",
    "X-Client-IP",
    "Fastly-Client-IP",
    "X-Cluster-Client-IP",
    "X-Method-Override",
    "HTTP2-Settings",
    "Max-Forwards",
    "CDN-Loop",
    "Webhook-Id",
    "webhook-signature",
    "X-Webhook-Signature",
    "svix-id",
    "X-Chainbell-Test",
    "Cookie",
    // Servers that hand headers on as variables take these for those above.
    "X_Real_IP",
    "X_Forwarded_For",
    "x.forwarded.host",
    "Content_Length",
    "Webhook_Signature",
    "CF-Connecting-IPv6",
    "Client-Cert",
  ])("is not %s", (name) => {
    expect(refusedHeader("headers", name, "a")).toEqual({
      field: "headers",
      message: `'${name}' is a header that cannot be set`,
      code: "header_reserved",
      values: { name },
    });
  });

  it.each(["", "a b", "a:b", "a\r\nb", "é", `x${"-".repeat(64)}`])(
    "has no name such as %j",
    (name) => {
      expect(refusedHeader("headers", name, "a")?.message).toMatch(/name of a header/);
    },
  );

  it.each(["", " a", "a ", "a\r\nWebhook-Id: 1", "a\nb", "é", "\u0000", "a".repeat(1_025)])(
    "has no value such as %j",
    (value) => {
      expect(refusedHeader("headers", "X-Tenant", value)).toMatchObject({
        message: expect.stringMatching(/visible ASCII/),
        code: "header_value",
        values: { name: "X-Tenant", most: 1_024 },
      });
    },
  );

  it.each(["Authorization", "X-Api-Key", "Ocp-Apim-Subscription-Key", "CF-Access-Client-Id"])(
    "may be %s",
    (name) => {
      expect(refusedHeader("headers", name, "Basic dXNlcjpwYXNz: and more")).toBeNull();
    },
  );

  it("comes back from its ciphertext as it was", () => {
    const headers = { Authorization: "Bearer a: b", "X-Tenant": "7" };
    const sealed = { headersCiphertext: headersToLines(headers), certificateCiphertext: null };
    const pairs = { ed25519Ciphertext: "one", nextEd25519Ciphertext: "another" };
    const opened = openOutbound({ ...sealed, ...pairs }, (text) => text);
    expect(opened).toEqual({ headers, clientCertificate: null, ed25519Keys: ["one", "another"] });
  });
});
