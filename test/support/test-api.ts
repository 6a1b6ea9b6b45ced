import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { type ApiDeps, createApi } from "../../src/api/api.ts";
import { createCommands } from "../../src/commands/commands.ts";
import { newApiKey, recordOfApiKey } from "../../src/domain/api-key.ts";
import type { Price } from "../../src/domain/price.ts";
import { createAdministration } from "../../src/ledger/administration.ts";
import { createApiKey } from "../../src/ledger/api-keys.ts";
import { createBusinessView } from "../../src/ledger/business-view.ts";
import { parseTarget } from "../../src/webhook/target-guard.ts";
import { insertBusiness, openTestLedger, type TestLedger } from "./ledger-fixtures.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Far in the future of every fixture, and moved by hand. */
export type TestClock = { now: () => number; advance: (ms: number) => void };

export function createTestClock(): TestClock {
  let nowMs = Date.UTC(2026, 5, 1);
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

export type TestApi = TestLedger & {
  web: FastifyInstance;
  clock: TestClock;
  businessId: string;
  key: string;
  /** As the business, unless another key (or null: none) is given. */
  get: (url: string, key?: string | null) => Promise<LightMyRequestResponse>;
  post: (url: string, body?: object, key?: string | null) => Promise<LightMyRequestResponse>;
  /** As the business or with another key, by any method. */
  call: (
    method: "GET" | "POST" | "PATCH" | "DELETE",
    url: string,
    body?: object,
    key?: string | null,
  ) => Promise<LightMyRequestResponse>;
  /** As the operator `ops`. */
  admin: (
    method: "GET" | "POST" | "PATCH" | "DELETE",
    url: string,
    body?: object,
  ) => Promise<LightMyRequestResponse>;
};

const adminToken = "an-admin-token-of-some-length";

/** The whole API over a fresh ledger, with one verified business and its key. */
export async function openTestApi(overrides: Partial<ApiDeps> = {}): Promise<TestApi> {
  const ledger = await openTestLedger();
  const clock = createTestClock();
  const deps = { ...apiDeps(ledger, clock), ...overrides };
  const web = createApi(deps) as unknown as FastifyInstance;
  const businessId = await insertBusiness(ledger.db);
  const key = await insertKey(ledger, businessId);
  const headers = (given: string | null = key): Record<string, string> =>
    given === null ? {} : { "x-api-key": given };
  return {
    ...ledger,
    web,
    clock,
    businessId,
    key,
    call: (method, url, body, given) =>
      web.inject({
        method,
        url,
        headers: headers(given),
        ...(body === undefined ? {} : { payload: body }),
      }),
    get: (url, given) => web.inject({ method: "GET", url, headers: headers(given) }),
    post: (url, body, given) =>
      web.inject({
        method: "POST",
        url,
        headers: headers(given),
        ...(body === undefined ? {} : { payload: body }),
      }),
    admin: (method, url, body) =>
      web.inject({
        method,
        url: `/admin${url}`,
        headers: { authorization: `Bearer ${adminToken}` },
        ...(body === undefined ? {} : { payload: body }),
      }),
    stop: async () => {
      await web.close();
      await ledger.stop();
    },
  };
}

export function apiDeps({ db }: TestLedger, clock: TestClock): ApiDeps {
  const prices: Record<string, string> = { ETH: "2500.125", USDC: "1" };
  return {
    ...createBusinessView(db),
    priceOf: (_chainName, code): Price | null => {
      const usd = prices[code];
      return usd === undefined ? null : { usd, asOfMs: Date.UTC(2026, 0, 1) };
    },
    requiredConfirmations: (name) => (name === "ethereum" ? 12 : null),
    normaliseTarget: async (url) =>
      parseTarget(url, { ports: [], allow: [], isLoopbackOpen: false }).url,
    testWebhook: async () => ({ delivered: true }),
    encryptionKey: new Uint8Array(32).fill(7),
    health: () => ({ ready: true, services: [{ name: "watcher:ethereum", trouble: null }] }),
    adminTokens: [{ name: "ops", token: adminToken }],
    commands: createCommands({
      ledger: createAdministration(db),
      chainNames: ["ethereum"],
      clock,
    }),
    clock,
    log: quiet,
  };
}

export async function insertKey({ db }: TestLedger, businessId: string): Promise<string> {
  const key = newApiKey();
  await createApiKey(db, { businessId, label: null, record: recordOfApiKey(key) });
  return key;
}

/** Another business with its own key. */
export async function insertStranger(api: TestApi): Promise<{ businessId: string; key: string }> {
  const businessId = await insertBusiness(api.db, "Stranger Inc");
  return { businessId, key: await insertKey(api, businessId) };
}
