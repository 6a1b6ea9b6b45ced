import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type HostileRequest,
  hostileRequest,
  randomOf,
  targetsOf,
} from "../../support/api/hostile-requests.ts";
import { adminToken, openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { insertTransaction, moveChainTo, newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, registerWebhook } from "../../support/ledger/steps.ts";

/**
 * A failure names its seed and number. Others by CHAINBELL_HOSTILE_COUNT and
 * CHAINBELL_HOSTILE_SEED.
 */
const count = Number(process.env["CHAINBELL_HOSTILE_COUNT"] ?? 2_000);
const seed = Number(process.env["CHAINBELL_HOSTILE_SEED"] ?? 20_261_121);
const atOnce = 8;
/** A request that takes longer hangs. */
const hangMs = 10_000;
const flatBytes = 48 * 1024 * 1024;

let api: TestApi;
let port: number;
const failures: object[] = [];

beforeAll(async () => {
  api = await openTestApi({
    log: { debug() {}, info() {}, warn() {}, error: (fields) => failures.push(fields) },
  });
  await api.web.listen({ host: "127.0.0.1", port: 0 });
  const address = api.web.server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});

afterAll(() => api.stop());

async function somethingThere(): Promise<string[]> {
  const { db, businessId } = api;
  const [wallet] = await addWallets(db, { businessId, wallets: [newWallet()] });
  const registration = { businessId, url: "https://a.example/", secretCiphertext: "x" };
  const { webhook } = await registerWebhook(db, registration);
  const walletId = wallet?.id ?? "";
  // Else nothing is known of any block, which is a 503.
  await moveChainTo(db, "ethereum", 100n);
  await db.chain.update({ where: { name: "ethereum" }, data: { confirmedNumber: 90n } });
  return [await insertTransaction(db, { walletId }), walletId, businessId, webhook.id, "ethereum"];
}

type Answer = { status: number; body: string; headers: Record<string, unknown> };

const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
afterAll(() => agent.destroy());

function send(hostile: HostileRequest): Promise<Answer | "refused"> {
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = hostile;
    const length: [string, string][] =
      body === null ? [] : [["content-length", String(body.length)]];
    const sent = httpRequest(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        agent,
        headers: Object.fromEntries([...headers, ...length]),
        timeout: hangMs,
      },
      (response) => {
        text(response).then(
          (answer) =>
            resolve({ status: response.statusCode ?? 0, body: answer, headers: response.headers }),
          reject,
        );
      },
    );
    sent.on("timeout", () => sent.destroy(new Error("it hangs")));
    // The server may close before it has read a body that it refuses.
    sent.on("error", (error: Error & { code?: string }) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? resolve("refused") : reject(error),
    );
    sent.end(body ?? undefined);
  });
}

const internals =
  /prisma|postgres|at \/|node_modules|\.ts:\d|SELECT |INSERT |relation |syntax error|stack|secret_ciphertext|ECONN/i;

function collectGarbage(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

test(`${count} hostile requests are each answered in the one form, with no internals and flat memory`, async ({
  annotate,
}) => {
  const described = targetsOf((await api.get("/openapi.json", null)).json());
  // An operator who forgets a chain is no attack, and what is asked of that chain next is rightly a
  // 503.
  const targets = described.filter(({ path }) => !path.endsWith("/reset"));
  const random = randomOf(seed);
  const given = {
    ids: await somethingThere(),
    credentials: [
      ["x-api-key", api.key],
      ["authorization", `Bearer ${adminToken}`],
    ] as [string, string][],
  };
  const statuses = new Map<number, number>();
  let heapBytes = 0;
  let sent = 0;
  const work = async () => {
    while (sent < count) {
      sent += 1;
      const number = sent;
      // By then everything is loaded and warm.
      if (number === Math.floor(count / 3)) heapBytes = collectGarbage();
      const hostile = hostileRequest(random, targets, given);
      const about = `seed ${seed}, request ${number}: ${hostile.method} ${hostile.path.slice(0, 300)} ${hostile.body?.toString("utf8").slice(0, 300)}`;
      const answer = await send(hostile);
      if (answer === "refused") continue;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expect(answer.status, about).toBeLessThan(500);
      expect(answer.headers["x-content-type-options"], about).toBe("nosniff");
      expect(answer.headers["access-control-allow-origin"], about).toBeUndefined();
      if (hostile.method === "HEAD") continue;
      // The feed is lines.
      if (answer.status < 400) continue;
      const body = JSON.parse(answer.body);
      expect(body, about).toMatchObject({ success: false, error: { code: expect.any(String) } });
      // What was sent may come back in a message; nothing of ours may.
      if (hostile.body === null) expect(body.error.message, about).not.toMatch(internals);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  expect(failures, JSON.stringify(failures).slice(0, 2_000)).toEqual([]);
  const grownBytes = collectGarbage() - heapBytes;
  expect(grownBytes).toBeLessThan(flatBytes);
  expect(statuses.get(200) ?? 0).toBeGreaterThan(0);
  await annotate([...statuses].sort(([a], [b]) => a - b).join("  "));
}, 1_800_000);

describe("on the wire", () => {
  const raw = async (...parts: string[]): Promise<string> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(parts.join("\r\n"));
    const answer = text(socket);
    socket.setTimeout(hangMs, () => socket.destroy(new Error("it hangs")));
    return answer;
  };
  const key = () => `x-api-key: ${api.key}`;

  test.each([
    ["two lengths", ["content-length: 5", "content-length: 6"], "hello!"],
    [
      "a length and chunks",
      ["content-length: 5", "transfer-encoding: chunked"],
      "0\r\n\r\nGET /admin/status HTTP/1.1\r\n\r\n",
    ],
    ["chunks of another coding", ["transfer-encoding: xchunked"], "0\r\n\r\n"],
    ["a folded header", ["x-a: b", " c: d"], ""],
    ["a header name with a space", ["content-length : 0"], ""],
    ["a bare line feed in a header", ["x-a: b\nx-c: d\n"], ""],
    ["a NUL in a header", ["x-a: \u0000"], ""],
    ["a negative length", ["content-length: -1"], ""],
    ["a length beyond all bounds", ["content-length: 99999999999999999999999"], ""],
    ["a chunk beyond all bounds", ["transfer-encoding: chunked"], "ffffffffffffffff1\r\n"],
    ["no host", [], ""],
  ])(
    "%s is refused, and nothing behind it is taken for a request",
    async (title, headers, rest) => {
      const host = title === "no host" ? [] : ["host: x"];
      const lines = [
        "POST /webhooks HTTP/1.1",
        ...host,
        key(),
        "content-type: application/json",
        "connection: close",
        ...headers,
        "",
        rest,
      ];
      const answer = await raw(...lines);
      const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) =>
        Number(status),
      );
      expect(statuses.length).toBeLessThanOrEqual(1);
      for (const status of statuses) expect([400, 411, 413, 415, 501]).toContain(status);
      expect(answer).not.toContain("200 OK");
    },
  );

  test("headers beyond 16 KB are a 431", async () => {
    const answer = await raw(
      "GET /balance HTTP/1.1",
      "host: x",
      `x-a: ${"a".repeat(20_000)}`,
      "",
      "",
    );
    expect(answer).toContain("431");
    expect(answer).toContain("headers_too_large");
  });

  test("an unknown method, an unsupported version and an endless URL are refused", async () => {
    expect(await raw("BREW /coffee HTTP/1.1", "host: x", "", "")).toContain("400 Bad Request");
    expect(await raw("GET /balance HTTP/9.9", "host: x", "", "")).toContain("400 Bad Request");
    expect(await raw(`GET /${"a".repeat(20_000)} HTTP/1.1`, "host: x", "", "")).toMatch(/431|414/);
  });
});
