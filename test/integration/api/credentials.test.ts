import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccessTokens } from "../../../src/api/auth/access-token.ts";
import type { Document } from "../../../src/api/description/document.ts";
import { type AdminScope, adminScopes } from "../../../src/domain/business/admin-scope.ts";
import { newApiKey } from "../../../src/domain/business/api-key.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { inTransaction } from "../../../src/ledger/postgres/transaction.ts";
import { lockCurrentWebhook } from "../../../src/ledger/webhooks/change-webhook.ts";
import {
  adminToken,
  insertKey,
  insertStranger,
  openTestApi,
  type TestApi,
  tokenWith,
} from "../../support/api/test-api.ts";
import { keyringOf } from "../../support/keyring.ts";
import {
  insertDelivery,
  insertTransaction,
  newWallet,
} from "../../support/ledger/ledger-fixtures.ts";
import {
  addWallets,
  beginRecovery,
  registerWebhook,
  revokeApiKey,
} from "../../support/ledger/steps.ts";

// Every route by every state a credential can be in. The routes are those of the description: one
// that is added without a line here fails.

type Outcome = number | [status: number, code: string];
type Row = { body?: object; query?: string; own: Outcome; stranger: Outcome };

let api: TestApi;
let document: Document;
const credentials: Record<string, Record<string, string>> = {};
const ids: Record<string, string> = {};

const since = { since: "2020-01-01" };
/** It wants to know what is looked for. */
const malformed: Outcome = [400, "invalid_request"];
const webhookGone: Outcome = [404, "webhook_not_found"];
const checkGone: Outcome = [404, "reconciliation_not_found"];
const recoveryGone: Outcome = [404, "recovery_not_found"];
const statementGone: Outcome = [404, "statement_not_found"];

/** In this order: what ends a thing comes after what needs it. */
const businessRoutes: Record<string, Row> = {
  "POST /auth/token": { own: 200, stranger: 200 },
  "GET /auth/tokens": { own: 200, stranger: 200 },
  "DELETE /auth/tokens/{token}": { own: 200, stranger: [404, "token_not_found"] },
  "GET /audit": { own: 200, stranger: 200 },
  "GET /balance": { own: 200, stranger: 200 },
  "GET /chains": { own: 200, stranger: 200 },
  "GET /search": { own: malformed, stranger: malformed },
  "GET /api-keys": { own: 200, stranger: 200 },
  "POST /api-keys": { own: 201, stranger: 201 },
  "DELETE /api-keys/{ownKey}": { own: 200, stranger: [404, "api_key_not_found"] },
  "GET /wallets": { own: 200, stranger: 200 },
  "POST /wallets": {
    body: { blockchain: "ethereum", address: newWallet().address },
    own: [403, "scope_missing"],
    stranger: [403, "scope_missing"],
  },
  "GET /wallets/{wallet}": { own: 200, stranger: [404, "wallet_not_found"] },
  "PUT /wallets/{wallet}/thresholds": {
    body: { thresholds: [] },
    own: [403, "scope_missing"],
    stranger: [403, "scope_missing"],
  },
  "GET /wallets/{wallet}/balances": {
    own: [503, "state_unavailable"],
    stranger: [404, "wallet_not_found"],
  },
  "GET /transactions": { own: 200, stranger: 200 },
  "GET /transactions/counts": { own: 200, stranger: 200 },
  "GET /transactions/{transaction}": { own: 200, stranger: [404, "transaction_not_found"] },
  "GET /sightings": { own: 200, stranger: 200 },
  "GET /webhooks/origins": { own: 200, stranger: 200 },
  "GET /webhooks/all": { own: 200, stranger: 200 },
  "GET /webhooks": { own: 200, stranger: webhookGone },
  "PATCH /webhooks/{webhook}": { body: { is_active: true }, own: 200, stranger: webhookGone },
  "POST /webhooks/{webhook}/rotate-secret": { body: {}, own: 200, stranger: webhookGone },
  "POST /webhooks/{webhook}/rotate-secret/finish": { own: 200, stranger: webhookGone },
  "POST /webhooks/{webhook}/test": { own: 200, stranger: webhookGone },
  "POST /webhooks/{webhook}/recover": { body: since, own: 202, stranger: webhookGone },
  "GET /webhooks/{webhook}/recoveries": { own: 200, stranger: webhookGone },
  "GET /webhooks/{webhook}/recoveries/{recovery}": { own: 200, stranger: recoveryGone },
  "GET /statements": { own: malformed, stranger: malformed },
  "GET /statements/all": { own: 200, stranger: 200 },
  "GET /statements/making": { own: 200, stranger: 200 },
  "GET /statements/{statement}": { own: statementGone, stranger: statementGone },
  "GET /totals": { own: malformed, stranger: malformed },
  "GET /open-matters": { query: "?month=2026-01", own: 200, stranger: 200 },
  "GET /reconciliations": { own: 200, stranger: 200 },
  "GET /reconciliations/{reconciliation}": { own: checkGone, stranger: checkGone },
  "POST /reconciliations": { own: malformed, stranger: malformed },
  "GET /notifications": { own: 200, stranger: 200 },
  "GET /notifications/feed": { own: 200, stranger: 200 },
  "GET /notifications/counts": { own: 200, stranger: 200 },
  "GET /notifications/{notification}": { own: 200, stranger: [404, "notification_not_found"] },
  "POST /notifications/{notification}/redeliver": {
    own: 202,
    stranger: [404, "notification_not_found"],
  },
  "DELETE /webhooks/{webhook}": { own: 200, stranger: webhookGone },
  "POST /webhooks": { body: { url: "https://b.example" }, own: 201, stranger: 201 },
};

type AdminRow = { body?: object | (() => object); scope: AdminScope; admin: Outcome };

const adminRoutes: Record<string, AdminRow> = {
  "GET /admin/businesses": { scope: "read", admin: 200 },
  "GET /admin/businesses/{business}": { scope: "read", admin: 200 },
  "GET /admin/businesses/{business}/transactions": { scope: "read", admin: 200 },
  "GET /admin/businesses/{business}/sightings": { scope: "read", admin: 200 },
  "GET /admin/businesses/{business}/statements": { scope: "read", admin: 200 },
  "DELETE /admin/statements/{statement}": { scope: "businesses", admin: statementGone },
  "GET /admin/transactions/{transaction}": { scope: "read", admin: 200 },
  "GET /admin/wallets/{wallet}": { scope: "read", admin: 200 },
  "POST /admin/businesses": { body: { name: "New" }, scope: "businesses", admin: 201 },
  "PATCH /admin/businesses/{business}": { body: { in_flight: 3 }, scope: "businesses", admin: 200 },
  "POST /admin/businesses/{business}/verify": { scope: "businesses", admin: 200 },
  "POST /admin/businesses/{business}/suspend": { scope: "businesses", admin: 200 },
  "POST /admin/businesses/{business}/resume": { scope: "businesses", admin: 200 },
  "POST /admin/businesses/{business}/console-link": { scope: "businesses", admin: 201 },
  "GET /admin/search": { scope: "read", admin: malformed },
  "GET /admin/outbox": { scope: "read", admin: 200 },
  "GET /admin/notifications": { scope: "read", admin: 200 },
  "GET /admin/notifications/{notification}": { scope: "read", admin: 200 },
  "GET /admin/health": { scope: "read", admin: 200 },
  "GET /admin/alerts": { scope: "read", admin: 200 },
  "GET /admin/businesses/{business}/api-keys": { scope: "read", admin: 200 },
  "POST /admin/businesses/{business}/api-keys": { scope: "businesses", admin: 201 },
  "POST /admin/api-keys/{key}/rotate": { scope: "businesses", admin: 201 },
  "DELETE /admin/api-keys/{key}": { scope: "businesses", admin: 200 },
  "GET /admin/businesses/{business}/wallets": { scope: "read", admin: 200 },
  "POST /admin/businesses/{business}/wallets": {
    body: () => ({ blockchain: "ethereum", address: newWallet().address }),
    scope: "wallets",
    admin: 201,
  },
  "PUT /admin/wallets/{wallet}/thresholds": {
    body: { thresholds: [] },
    scope: "wallets",
    admin: 200,
  },
  "DELETE /admin/wallets/{wallet}": { scope: "wallets", admin: 200 },
  "POST /admin/wallets/{wallet}/archive": { scope: "wallets", admin: 200 },
  "POST /admin/wallets/{wallet}/backfill": { scope: "wallets", admin: [400, "invalid_request"] },
  "GET /admin/status": { scope: "read", admin: 200 },
  "POST /admin/reconcile": { scope: "chains", admin: 200 },
  "GET /admin/chains/{chain}/endpoints": { scope: "read", admin: 200 },
  "GET /admin/chains/{chain}/lag": { scope: "read", admin: 200 },
  "POST /admin/chains/{chain}/rewind": { scope: "chains", admin: [400, "invalid_request"] },
  "POST /admin/chains/{chain}/settle": { scope: "chains", admin: [400, "invalid_request"] },
  "POST /admin/chains/{chain}/reset": { scope: "chains", admin: 200 },
  "GET /admin/webhooks": { scope: "read", admin: 200 },
  "PATCH /admin/webhooks/{webhook}": { body: { rate: 5 }, scope: "businesses", admin: 200 },
  "POST /admin/webhooks/{webhook}/enable": { scope: "businesses", admin: 200 },
  "POST /admin/webhooks/{webhook}/recover": {
    scope: "businesses",
    body: { since: "2026-01-31" },
    admin: 202,
  },
  "GET /admin/webhooks/{webhook}/recoveries": { scope: "read", admin: 200 },
  "GET /admin/webhooks/{webhook}/recoveries/{recovery}": { scope: "read", admin: recoveryGone },
  "POST /admin/webhooks/{webhook}/disable": { scope: "businesses", admin: 200 },
  "POST /admin/notifications/{notification}/redeliver": {
    scope: "businesses",
    admin: [409, "webhook_inactive"],
  },
  "GET /admin/audit": { scope: "read", admin: 200 },
  "GET /admin/audit/verify": { scope: "read", admin: 200 },
  "GET /admin/ledger/check": { scope: "read", admin: 200 },
  "GET /admin/ledger/reconciliations": { scope: "read", admin: 200 },
};

/** Opened by an access token alone. */
const tokenRoute = "DELETE /auth/token";

const openRoutes = ["GET /", "GET /health/live", "GET /health/ready", "GET /health"];

beforeAll(async () => {
  api = await openTestApi({
    // As the ledger's own beginTest, without notified anybody.
    testWebhook: async ({ businessId, webhookId }) => {
      const id = await inTransaction(api.db, (tx) =>
        lockCurrentWebhook(tx, { businessId, webhookId }),
      );
      const result = {
        kind: "answered",
        statusCode: 200,
        retryAfterMs: null,
        response: "",
      } as const;
      return { notificationId: id, isAccepted: true, latencyMs: 1, result };
    },
  });
  document = (await api.get("/openapi.json", null)).json();
  const { db, businessId } = api;
  const [wallet] = await addWallets(db, { businessId, wallets: [newWallet()] });
  const registration = { businessId, url: "https://a.example/", secretCiphertext: "x" };
  const { webhook } = await registerWebhook(db, registration);
  const transaction = await insertTransaction(db, { walletId: wallet?.id ?? "" });
  const { notificationId } = await insertDelivery(db, {
    businessId,
    transactionId: transaction,
    webhookId: webhook.id,
    status: "delivered",
  });
  const recovery = await beginRecovery(
    db,
    { businessId, webhookId: webhook.id },
    { since: new Date(0), until: null },
  );
  Object.assign(ids, { recovery: recovery.id });
  const spare = await insertKey(api, businessId);
  const key = await db.apiKey.findFirstOrThrow({ where: { businessId }, orderBy: { id: "desc" } });
  await insertKey(api, businessId);
  const own = await db.apiKey.findFirstOrThrow({ where: { businessId }, orderBy: { id: "desc" } });
  Object.assign(ids, { ownKey: own.id });
  Object.assign(ids, { transaction, webhook: webhook.id, notification: notificationId });
  Object.assign(ids, { wallet: wallet?.id, business: businessId, key: key.id, chain: "ethereum" });
  Object.assign(ids, { token: decodeJwt((await api.post("/auth/token")).json().access_token).jti });
  await makeCredentials(spare);
});

afterAll(() => api.stop());

async function makeCredentials(spare: string): Promise<void> {
  const { db } = api;
  const byKey = (key: string) => ({ "x-api-key": key });
  const byToken = (token: string) => ({ authorization: `Bearer ${token}` });
  const revoked = await insertKey(api, api.businessId);
  const row = await db.apiKey.findFirstOrThrow({ orderBy: { id: "desc" } });
  const holder = { keyId: row.id, businessId: api.businessId };
  const mint = (lifetimeS: number) =>
    createAccessTokens({ keyring: keyringOf(7), lifetimeS, clock: api.clock });
  const ofRevoked = await mint(900).mint(holder);
  const own = await db.apiKey.findFirstOrThrow({ orderBy: { id: "asc" } });
  const expired = await mint(0).mint({ ...holder, keyId: own.id });
  await revokeApiKey(db, row.id);
  const suspended = await insertStranger(api);
  const unverified = await insertStranger(api);
  const past = new Date(0);
  await db.business.update({ where: { id: suspended.businessId }, data: { suspendedAt: past } });
  await db.business.update({ where: { id: unverified.businessId }, data: { verifiedAt: null } });
  const token = (await api.post("/auth/token")).json().access_token;
  Object.assign(credentials, {
    none: {},
    "malformed key": byKey("nonsense"),
    "unknown key": byKey(newApiKey()),
    "revoked key": byKey(revoked),
    "suspended business": byKey(suspended.key),
    "unverified business": byKey(unverified.key),
    "other business's key": byKey((await insertStranger(api)).key),
    "malformed token": byToken("nonsense"),
    "expired token": byToken(expired.token),
    "token of a revoked key": byToken(ofRevoked.token),
    "admin token": byToken(adminToken),
    "own token": byToken(token),
    "own key": byKey(api.key),
    ...Object.fromEntries(
      keysOf(adminScopes).map((scope) => [`token for ${scope}`, byToken(tokenWith(scope))]),
    ),
    "spare key": byKey(spare),
  });
}

/** The answer to a credential that does not open a business's route. */
const refusals: Record<string, Outcome> = {
  none: [401, "missing_credentials"],
  "malformed key": [401, "invalid_api_key"],
  "unknown key": [401, "invalid_api_key"],
  "revoked key": [403, "key_revoked"],
  "suspended business": [403, "business_suspended"],
  "unverified business": [403, "business_unverified"],
  "malformed token": [401, "invalid_access_token"],
  "expired token": [401, "access_token_expired"],
  "token of a revoked key": [403, "key_revoked"],
  "admin token": [401, "invalid_access_token"],
};

const isToken = (state: string) => state.includes("token");

async function send(route: string, state: string, body: object | undefined): Promise<Outcome> {
  const [method = "", path = ""] = route.split(" ");
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
  const url = `${place}${businessRoutes[route]?.query ?? ""}`;
  const response = await api.web.inject({
    method: method as "GET",
    url,
    headers: credentials[state] ?? {},
    ...(body === undefined ? {} : { payload: body }),
  });
  if (response.statusCode < 300) return response.statusCode;
  return [response.statusCode, response.json().error.code];
}

test("every route of the description has its line, and every line a route", () => {
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const plain = (route: string) => route.replace(/\{\w+\}/g, "{}");
  const here = [
    ...Object.keys(businessRoutes),
    ...Object.keys(adminRoutes),
    tokenRoute,
    ...openRoutes,
  ];
  expect(here.map(plain).sort()).toEqual(described.map(plain).sort());
});

describe.each(Object.keys(refusals))("with %s", (state) => {
  test.each(Object.entries(businessRoutes))("%s is refused", async (route, { body }) => {
    const isKeyOnly = route.includes(" /auth/token") && isToken(state);
    const expected = isKeyOnly ? [401, "missing_credentials"] : refusals[state];
    expect(await send(route, state, body)).toEqual(expected);
  });
});

test.each(Object.keys(refusals))("with %s a token cannot be ended", async (state) => {
  const expected = isToken(state) ? refusals[state] : [401, "missing_credentials"];
  expect(await send(tokenRoute, state, undefined)).toEqual(expected);
});

describe.each([...Object.keys(refusals), "other business's key", "own key", "own token"])(
  "with %s",
  (state) => {
    test.each(Object.entries(adminRoutes))(
      "%s is refused, or open to the operator",
      async (route, row) => {
        if (state === "admin token") return;
        const body = typeof row.body === "function" ? row.body() : row.body;
        const expected = isToken(state)
          ? [401, "invalid_admin_token"]
          : [401, "missing_credentials"];
        expect(await send(route, state, body)).toEqual(expected);
      },
    );

    test.each(openRoutes)("%s is open", async (route) => {
      expect(await send(route, state, undefined)).toBe(200);
    });
  },
);

describe("with another business's key", () => {
  test.each(Object.entries(businessRoutes))(
    "%s knows nothing of the owner's",
    async (route, row) => {
      expect(await send(route, "other business's key", row.body)).toEqual(row.stranger);
    },
  );
});

describe("with the admin token", () => {
  test.each(Object.entries(adminRoutes).slice(0, 8))("%s answers", async (route, row) => {
    const body = typeof row.body === "function" ? row.body() : row.body;
    expect(await send(route, "admin token", body)).toEqual(row.admin);
  });
});

describe.each(keysOf(adminScopes))("with an admin token for %s alone", (scope) => {
  const state = `token for ${scope}`;

  test.each(Object.entries(adminRoutes).filter(([, row]) => row.scope !== scope))(
    "%s is refused",
    async (route) => {
      expect(await send(route, state, undefined)).toEqual([403, "scope_missing"]);
    },
  );

  test.each(Object.entries(adminRoutes).filter(([, row]) => row.scope === scope))(
    "%s is open, and the description says so",
    async (route) => {
      // Of something that is not there: whether it is found out is all that counts here.
      const elsewhere = route.replace(/\{\w+\}/, "01900000-0000-7000-8000-000000000000");
      expect(await send(elsewhere, state, undefined)).not.toEqual([403, "scope_missing"]);
      const [method = "", path = ""] = route.split(" ");
      const plain = (one: string) => one.replace(/\{\w+\}/g, "{}");
      const item = Object.entries(document.paths).find(([one]) => plain(one) === plain(path))?.[1];
      expect(item?.[method.toLowerCase()]).toMatchObject({ "x-scope": scope });
    },
  );
});

describe("with the own token", () => {
  test.each(["GET /balance", "GET /wallets", "GET /transactions", "GET /webhooks"])(
    "%s answers",
    async (route) => {
      expect(await send(route, "own token", undefined)).toBe(200);
    },
  );
});

describe("with the own key", () => {
  test.each(Object.entries(businessRoutes))("%s answers", async (route, row) => {
    expect(await send(route, "own key", row.body)).toEqual(row.own);
  });
});

describe("with the admin token, at last", () => {
  test.each(Object.entries(adminRoutes).slice(8))("%s answers", async (route, row) => {
    const body = typeof row.body === "function" ? row.body() : row.body;
    if (route.includes("{webhook}"))
      ids["webhook"] = (
        await api.db.webhook.findFirstOrThrow({
          where: { businessId: api.businessId, deletedAt: null },
        })
      ).id;
    expect(await send(route, "admin token", body)).toEqual(row.admin);
  });
});
