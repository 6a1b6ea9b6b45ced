import { describe, expect, it } from "vitest";
import { lineOf } from "../../../src/operator/notification/listen.ts";

const shown = (event: string, data: object, result: Parameters<typeof lineOf>[1] = null) =>
  lineOf({ id: "018f", body: JSON.stringify({ event, timestamp: "T", data }) }, result);

describe("the line of a notification", () => {
  it.each([
    ["transaction.deposit", { amount: "1.5", asset: "ETH", status: "confirmed" }, "1.5 ETH"],
    ["wallet.balance_below", { balance: "0.4", asset: "ETH", status: "below" }, "0.4 ETH"],
    ["token.unlisted", { rawAmount: "12", contract: "0x7", status: "sighted" }, "12 0x7"],
  ])("of %s has its amount", (event, data, money) => {
    expect(shown(event, data)).toBe(`T  ${event}  ${money}  ${data.status}  018f`);
  });

  it("says how it was forwarded", () => {
    const data = { amount: "1", asset: "ETH", status: "test" };
    const line = "T  webhook.test  1 ETH  test  018f";
    const answered = {
      kind: "answered",
      statusCode: 204,
      retryAfterMs: null,
      response: "",
    } as const;
    const failed = { kind: "unanswered", errorKind: "connection" } as const;
    expect(shown("webhook.test", data, { ...answered, latencyMs: 5 })).toBe(
      `${line}  -> 204 in 5 ms`,
    );
    expect(shown("webhook.test", data, { ...failed, latencyMs: 5 })).toBe(
      `${line}  -> failed (connection) in 5 ms`,
    );
  });
});
