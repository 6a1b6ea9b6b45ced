import { describe, expect, it } from "vitest";
import { askedPauseMs, classifyResponse } from "../../../src/dispatcher/classify-response.ts";
import type { AttemptResult } from "../../../src/domain/delivery/delivery.ts";

function answered(statusCode: number): AttemptResult {
  return { kind: "answered", statusCode, retryAfterMs: 7_000, response: "" };
}

describe("an answer", () => {
  it.each([200, 201, 202, 204, 299])("of %i means that the notification was accepted", (status) => {
    expect(classifyResponse(answered(status))).toBe("accepted");
  });

  it.each([300, 301, 302, 307, 308, 400, 401, 404, 408, 429, 500, 502, 503, 504])(
    "of %i is tried again",
    (status) => {
      expect(classifyResponse(answered(status))).toBe("retry");
    },
  );

  it("of 410 deactivates", () => {
    expect(classifyResponse(answered(410))).toBe("gone");
  });

  it("that did not come is retried", () => {
    expect(classifyResponse({ kind: "unanswered", errorKind: "timeout" })).toBe("retry");
    expect(classifyResponse({ kind: "unanswered", errorKind: "target_refused" })).toBe("retry");
  });

  it("may ask for a pause only with 429 and 503", () => {
    expect([429, 503, 500, 200].map((status) => askedPauseMs(answered(status)))).toEqual([
      7_000,
      7_000,
      null,
      null,
    ]);
    expect(askedPauseMs({ kind: "unanswered", errorKind: "dns" })).toBeNull();
  });
});
