import { expect, test } from "vitest";
import type { KeyLimits } from "../../../../src/domain/business/api-key.ts";
import { type Browser, entered, linkOf } from "../../../support/api/browser.ts";
import { eachTestApi } from "../../../support/api/each-api.ts";
import { adminToken, insertKey, tokenWith, viewerToken } from "../../../support/api/test-api.ts";

const api = eachTestApi();

const none = "00000000-0000-7000-8000-000000000000";

/** A request for each right. The things that they name do not exist. */
const requests = {
  business: {
    read: ["GET", "/api/balance"],
    webhooks: ["DELETE", `/api/webhooks/${none}`],
    notifications: ["POST", `/api/notifications/${none}/redeliver`],
    credits: ["POST", "/api/reconciliations", {}],
    "wallets:write": ["PUT", `/api/wallets/${none}/thresholds`, { thresholds: [] }],
    unlimited: ["DELETE", `/api/api-keys/${none}`],
  },
  operator: {
    read: ["GET", "/api/admin/status"],
    wallets: ["DELETE", `/api/admin/wallets/${none}`],
    businesses: ["POST", `/api/admin/businesses/${none}/verify`],
    chains: ["POST", "/api/admin/chains/none/reset"],
    unlimited: ["DELETE", `/sessions/${none}`],
  },
} as const;

const byKey = async (limits: Partial<KeyLimits> = {}) =>
  entered(api, { api_key: await insertKey(api, api.businessId, limits) });
const expiresAt = () => new Date(api.clock.now() + 3_600_000);
const byToken = (token: string) => entered(api, { admin_token: token });
const byLink = async (role?: "developer") => entered(api, { link: await linkOf(api, role) });

const allButWallets = ["read", "webhooks", "notifications", "credits", "unlimited"];

test.each<[what: string, come: () => Promise<Browser>, rights: string[]]>([
  ["a key", () => byKey(), allButWallets],
  ["a key for reading", () => byKey({ scopes: ["read"] }), ["read"]],
  ["a key for webhooks", () => byKey({ scopes: ["read", "webhooks"] }), ["read", "webhooks"]],
  ["a key for credits", () => byKey({ scopes: ["read", "credits"] }), ["read", "credits"]],
  [
    "a key for wallets",
    () => byKey({ scopes: ["read", "wallets:write"], maxWallets: 1 }),
    ["read", "wallets:write"],
  ],
  [
    "a key of a network",
    () => byKey({ networks: ["203.0.113.0/24"] }),
    allButWallets.filter((one) => one !== "unlimited"),
  ],
  [
    "a key that expires",
    () => byKey({ expiresAt: expiresAt() }),
    allButWallets.filter((one) => one !== "unlimited"),
  ],
  ["a developer's link", () => byLink("developer"), allButWallets],
  ["a viewer's link", () => byLink(), ["read"]],
  [
    "an admin token",
    () => byToken(adminToken),
    ["read", "wallets", "businesses", "chains", "unlimited"],
  ],
  ["a viewer's token", () => byToken(viewerToken), ["read"]],
  ["a token with a scope", () => byToken(tokenWith("chains")), ["chains"]],
])("a session knows its rights: %s", async (_what, come, rights) => {
  const browser = await come();
  const { data } = (await browser.ask("GET", "/session")).json();
  expect([...data.rights].sort()).toEqual([...rights].sort());
  const kind: keyof typeof requests = data.kind;
  for (const [right, [method, path, body]] of Object.entries(requests[kind])) {
    const [status] = await browser.outcome(method, path, body);
    expect([right, status === 403]).toEqual([right, !rights.includes(right)]);
  }
});
