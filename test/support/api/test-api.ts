import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { type ApiDeps, createApi } from "../../../src/api/api.ts";
import { createOpenStreams } from "../../../src/api/http/open-streams.ts";
import { createSigning } from "../../../src/app/environment/signing.ts";
import { adminVerbs } from "../../../src/app/operator.ts";
import { type AdminScope, adminScopes } from "../../../src/domain/business/admin-scope.ts";
import { type KeyLimits, newApiKey, recordOfApiKey } from "../../../src/domain/business/api-key.ts";
import { fromPrimary } from "../../../src/domain/business/list-reader.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { decryptSecret } from "../../../src/domain/webhook/secret.ts";
import { readPrices, writePrices } from "../../../src/ledger/balances/prices.ts";
import { auditedForBusiness, createBusinessLedger } from "../../../src/ledger/business-ledger.ts";
import { recordAudit } from "../../../src/ledger/businesses/audit.ts";
import { readStatus } from "../../../src/ledger/chain/chain-status.ts";
import { auditedForConsole, createConsoleLedger } from "../../../src/ledger/console-ledger.ts";
import { readAuditWaiting } from "../../../src/ledger/installation/audit-waiting.ts";
import { readLiveness } from "../../../src/ledger/installation/read-liveness.ts";
import { readTableSizes, readVacuuming } from "../../../src/ledger/postgres/measures.ts";
import { readWebhookTrouble } from "../../../src/ledger/webhooks/failing-webhooks.ts";
import { readLines } from "../../../src/ledger/webhooks/lines.ts";
import { createMetrics } from "../../../src/metrics/metrics.ts";
import type { Clock } from "../../../src/runtime/clock.ts";
import { createWakes } from "../../../src/runtime/wakes.ts";
import { makeAgain } from "../../../src/webhook/make-again.ts";
import { parseTarget } from "../../../src/webhook/target-guard.ts";
import { inCheckout } from "../checkout.ts";
import { keyringOf } from "../keyring.ts";
import { insertBusiness, openTestLedger, type TestLedger } from "../ledger/ledger-fixtures.ts";
import { createApiKey } from "../ledger/steps.ts";
import { quiet } from "../quiet.ts";
import { checkAnswers } from "./answer-check.ts";

/** Far in the future of every fixture, and moved by hand. Nobody who sleeps by it has to wait. */
export type TestClock = Clock & { advance: (ms: number) => void };

export function createTestClock(): TestClock {
  let nowMs = Date.UTC(2026, 5, 1);
  return {
    now: () => nowMs,
    elapsed: () => nowMs,
    sleep: async () => {},
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

export type TestApi = TestLedger & {
  web: FastifyInstance;
  /** For a server of its own. */
  deps: ApiDeps;
  clock: TestClock;
  businessId: string;
  key: string;
  /** As the business, unless another key (or null: none) is given. */
  get: (url: string, key?: string | null) => Promise<LightMyRequestResponse>;
  post: (url: string, body?: object, key?: string | null) => Promise<LightMyRequestResponse>;
  /** As the business or with another key, by any method. */
  call: (
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    body?: object,
    key?: string | null,
  ) => Promise<LightMyRequestResponse>;
  /** As the operator `ops`. */
  admin: (
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    body?: object,
  ) => Promise<LightMyRequestResponse>;
};

export const viewerToken = "a-viewer-token-of-some-length";
export const adminToken = "an-admin-token-of-some-length";
/** The token that has this scope alone. */
export const tokenWith = (scope: AdminScope) => `a-token-for-${scope}-and-nothing-else`;

/** The whole API over a fresh ledger, with one verified business and its key. */
export async function openTestApi(
  overrides: Partial<ApiDeps> | ((deps: ApiDeps) => Partial<ApiDeps>) = {},
): Promise<TestApi> {
  const ledger = await openTestLedger();
  const clock = createTestClock();
  const usual = apiDeps(ledger, clock);
  const own = typeof overrides === "function" ? overrides(usual) : overrides;
  const deps = { ...usual, ...own };
  const web = createApi(deps) as unknown as FastifyInstance;
  const { complaints } = checkAnswers(web);
  await insertPrices(ledger);
  const businessId = await insertBusiness(ledger.db);
  const key = await insertKey(ledger, businessId);
  const headers = (given: string | null = key): Record<string, string> =>
    given === null ? {} : { "x-api-key": given };
  return {
    ...ledger,
    web,
    deps,
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
      // Every answer of every test is what the description of the API says.
      if (complaints().length > 0) throw new Error(complaints().join("\n"));
    },
  };
}

/** What a unit is worth; of any other asset nobody says. */
async function insertPrices({ db }: TestLedger): Promise<void> {
  const asOfMs = Date.UTC(2026, 0, 1);
  const fixed = {
    chainName: "ethereum",
    source: "fixed",
    asOfMs,
    freshUntilMs: null,
    proof: null,
    anchor: null,
  } as const;
  await writePrices(db, [
    { ...fixed, assetCode: "ETH", usd: "2500.125" },
    { ...fixed, assetCode: "USDC", usd: "1" },
  ]);
}

const adminTokens = [
  { name: "ops", token: adminToken, role: "operator", scopes: [] },
  { name: "eve", token: viewerToken, role: "viewer", scopes: [] },
  ...keysOf(adminScopes).map((scope) => ({
    name: `only-${scope}`,
    token: tokenWith(scope),
    role: "operator" as const,
    scopes: [scope],
  })),
] as const;

const requiredConfirmations = (name: string) => (name === "ethereum" ? 12 : null);

const unlimited = { perSecond: 100_000, burst: 100_000 };

export function apiDeps({ db }: TestLedger, clock: TestClock): ApiDeps {
  return {
    ...createBusinessLedger(db),
    sign: createSigning({ db, config: { encryptionKeys: keyringOf(7) } }).sign,
    readLists: fromPrimary(createBusinessLedger(db)),
    followNotified: createWakes().follow,
    streams: createOpenStreams(() => {}),
    requiredConfirmations,
    chainNames: ["ethereum"],
    normaliseTarget: async (url) =>
      parseTarget(url, { ports: [], deny: [], allow: [], isLoopbackOpen: false }).url,
    testWebhook: async () => ({
      notificationId: "01900000-0000-7000-8000-000000000000",
      isAccepted: true,
      latencyMs: 1,
      result: { kind: "answered", statusCode: 200, retryAfterMs: null, response: "" },
    }),
    makeAgain: (of, attempt) =>
      makeAgain(of, attempt, {
        userAgent: "Chainbell/1.2.3",
        decrypt: (ciphertext, businessId) => decryptSecret(keyringOf(7), ciphertext, businessId),
      }),
    webhookOrigins: ["198.51.100.0/28"],
    mostWebhooks: 3,
    keyring: keyringOf(7),
    health: () => ({ ready: true, services: [{ name: "watcher:ethereum", trouble: null }] }),
    adminTokens: () => adminTokens,
    audited: auditedForBusiness(db),
    recordRefusal: ({ address }) =>
      recordAudit(
        db,
        { name: "unknown", via: "http", address },
        { action: "admin.refused", subject: null, details: {} },
      ),
    failedCredentialLimit: { perSecond: 100_000, burst: 100_000 },
    trustedProxies: [],
    allowedOrigins: [],
    adminVerbs: adminVerbs(db, {
      chainNames: ["ethereum"],
      clock,
      readIn: fromPrimary(db),
      compareChain: async () => ({ compared: 0, open: 0, findings: [] }),
      requiredConfirmations,
      readProcess: () => ({
        version: "0.0.0-test",
        node: "v20.0.0",
        startedAt: new Date(clock.now()),
        parts: [{ name: "watcher:ethereum", trouble: null, causes: [] }],
      }),
      configured: [],
      readSetup: async () => ({
        shippedMigrations: ["20261121000000_init", "20991231000000_later"],
        configFaults: [{ path: "chains", message: "is required", code: "required", values: {} }],
      }),
    }),
    console: {
      ledger: createConsoleLedger(db),
      audited: auditedForConsole(db),
      operatorSignIn: null,
      // Without its pages: only what they ask.
      folder: inCheckout("no-such-folder"),
      isDevelopment: false,
    },
    rateLimit: unlimited,
    workLimits: { change: unlimited, search: unlimited, sign_in: unlimited },
    accessTokenLifetimeS: 900,
    metrics: createMetrics({
      readStatus: (nowMs) => readStatus(db, nowMs),
      readLiveness: () => readLiveness(db),
      readWebhookTrouble: () => readWebhookTrouble(db),
      readTableSizes: () => readTableSizes(db),
      readPrices: () => readPrices(db),
      readAuditWaiting: () => readAuditWaiting(db),
      readVacuuming: () => readVacuuming(db),
      readLines: () => readLines(db),
      clock,
    }),
    version: "0.0.0-test",
    redact: (text) => text,
    clock,
    log: quiet,
  };
}

/** One that may do everything, unless something else is said. */
export async function insertKey(
  { db }: TestLedger,
  businessId: string,
  own: Partial<KeyLimits> = {},
): Promise<string> {
  const limits = { scopes: [], networks: [], expiresAt: null, maxWallets: null, ...own };
  const key = newApiKey();
  await createApiKey(db, { businessId, label: null, record: recordOfApiKey(key), limits });
  return key;
}

/** Another business with its own key. */
export async function insertStranger(api: TestApi): Promise<{ businessId: string; key: string }> {
  const businessId = await insertBusiness(api.db, "Stranger Inc");
  return { businessId, key: await insertKey(api, businessId) };
}
