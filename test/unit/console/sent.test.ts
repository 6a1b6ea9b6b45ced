import { execFileSync, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  atOf,
  curlOf,
  hasSeveral,
  headOf,
  type SentAttempt,
  sentAt,
  verifierOf,
} from "../../../console/src/pages/deliveries/sent.ts";

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes.....").toString("base64")}`;
const body = `{"amount":"1.50", "text":"é 🔔 it's \\\\ \\u0000"}`;
const id = "0199c2a1-0000-7000-8000-000000000000";
const second = 1_790_000_000;
const key = Buffer.from(secret.replace("whsec_", ""), "base64");
const signed = `${id}.${second}.${body}`;
const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;

const attempt: SentAttempt = {
  webhook_id: id,
  number: 1,
  url: "https://shop.example/hook?till=2",
  at: new Date(second * 1000 + 999).toISOString(),
  latency_ms: 3,
  status_code: 200,
  error: null,
  response: "",
  next_attempt_at: null,
  request: {
    is_secret_gone: false,
    headers: [
      { name: "x-Shop-key", value: null },
      { name: "1`touch hacked`$(x)!", value: null },
      { name: "content-type", value: "application/json" },
      { name: "webhook-id", value: id },
      { name: "webhook-timestamp", value: String(second) },
      { name: "webhook-signature", value: signature },
    ],
  },
};
const sent = {
  id,
  event: "transaction.deposit" as const,
  status: "delivered" as const,
  transaction_id: null,
  created_at: attempt.at,
  delivered_at: attempt.at,
  attempt_count: 1,
  payload: {},
  body,
  attempts: [attempt],
};

describe("the request of an attempt, as the console shows it", () => {
  it("has its line, every header and the length of its bytes", () => {
    expect(headOf(sent, attempt).split("\n")).toEqual([
      "POST /hook?till=2 HTTP/1.1",
      "host: shop.example",
      "x-Shop-key: ••••••",
      "1`touch hacked`$(x)!: ••••••",
      "content-type: application/json",
      `webhook-id: ${id}`,
      `webhook-timestamp: ${second}`,
      `webhook-signature: ${signature}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ]);
  });

  it("is a command whose shell gives curl the very bytes, and what is masked from a variable", () => {
    const command = curlOf(sent, attempt).replace(/^curl /, "printf '%s\\0' ");
    const own = { HEADER_X_SHOP_KEY: "let me in", HEADER_1_TOUCH_HACKED___X__: "no" };
    const environment = { ...process.env, ...own };
    const given = execFileSync("sh", ["-c", command], { env: environment }).toString().split("\0");
    expect(given).toContain("x-Shop-key: let me in");
    expect(given).toContain("1`touch hacked`$(x)!: no");
    expect(given).toContain(`webhook-signature: ${signature}`);
    expect(given.at(-2)).toBe(body);
  });

  it.each([
    ["right", secret],
    ["wrong", `whsec_${Buffer.from("another").toString("base64")}`],
  ])("comes with a program that says %s", (word, tried) => {
    const run = (of: SentAttempt) =>
      execFileSync("node", ["--input-type=module", "-e", verifierOf(sent, of)], {
        env: { ...process.env, WEBHOOK_SECRET: tried },
      }).toString();
    expect(run(attempt)).toBe(`${word}\n`);
    if (tried === secret) expect(run({ ...attempt, request: null })).toBe(`${signature}\n`);
  });

  it("comes with a program that says where its secret is from", () => {
    const { WEBHOOK_SECRET: _, ...env } = process.env;
    const args = ["--input-type=module", "-e", verifierOf(sent, attempt)];
    const ended = spawnSync("node", args, { env, encoding: "utf8" });
    expect([ended.status, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(/^Set WEBHOOK_SECRET to the secret that was shown .*\n$/);
  });
});

describe("a notification at one webhook of several", () => {
  const other = { ...attempt, webhook_id: "another" };
  const both = { ...sent, attempts: [attempt, other] };

  it("has the attempts at it alone, and its row's status", () => {
    expect(hasSeveral(both)).toBe(true);
    const row = { id, status: "exhausted" as const, delivered_at: null, webhook_id: "another" };
    const at = atOf("another", id, [{ ...row, id: "of another notification" }, row]);
    const shown = sentAt(both, at);
    expect(shown).toMatchObject({ id, status: "exhausted", delivered_at: null });
    expect(shown.attempts).toEqual([other]);
    expect(hasSeveral(shown)).toBe(false);
    // Each row of a list by where they stand worst is of a webhook of its own.
    expect(atOf("any", id, [row])).toEqual(at);
    expect(atOf("any", id, [{ ...row, webhook_id: null }])).toBeNull();
  });

  it("is as the first webhook has it, where no webhook is chosen", () => {
    expect(sentAt(both, atOf(undefined, id, []))).toBe(both);
    expect(sentAt(both, atOf("another", id, [])).status).toBe("delivered");
  });
});
