import { expect, test } from "vitest";
import type { KeyLimits } from "../../../src/domain/business/api-key.ts";
import { heldThings, isOfThePast } from "../../../src/domain/chain/confirmation.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { writeReading } from "../../../src/ledger/chain/chain-reading.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertKey, insertStranger } from "../../support/api/test-api.ts";
import { plainReading } from "../../support/chain/reading.ts";

const api = eachTestApi();

const missing = [403, "scope_missing"];

async function outcome(...asked: Parameters<typeof api.call>): Promise<unknown[]> {
  const response = await api.call(...asked);
  return [response.statusCode, response.json().error?.code];
}

test("a business makes, lists and revokes keys of its own", async () => {
  const body = { label: "reports", scopes: ["read"], expires_at: "2027-01-31T00:00:00Z" };
  const created = (await api.post("/api-keys", body)).json();
  expect(created.data).toMatchObject({ id: created.id, key: created.key, scopes: ["read"] });
  expect(await outcome("GET", "/balance", undefined, created.key)).toEqual([200, undefined]);
  const listed = (await api.get("/api-keys")).json().data;
  expect(listed).toHaveLength(2);
  expect(listed[0]).toMatchObject({ id: created.id, label: "reports" });
  expect(listed[0].last_used_at).not.toBeNull();
  expect(JSON.stringify(listed)).not.toContain(created.key);
  expect(await outcome("DELETE", `/api-keys/${created.id}`)).toEqual([200, undefined]);
  api.clock.advance(1_100);
  expect(await outcome("GET", "/balance", undefined, created.key)).toEqual([403, "key_revoked"]);
  const actions = (await api.get("/audit"))
    .json()
    .data.map(({ action }: { action: string }) => action);
  expect(actions).toEqual(["key.revoke", "key.create"]);
});

test.each([
  ["scopes", { scopes: ["read", "webhooks", "notifications"] }],
  ["networks", { networks: ["127.0.0.0/8"] }],
  ["an end", { expiresAt: new Date("2027-01-01") }],
] as [string, Partial<KeyLimits>][])(
  "a key with %s makes none that could do more, and revokes none",
  async (_what, limits) => {
    const key = await insertKey(api, api.businessId, limits);
    const [{ id }] = (await api.get("/api-keys", key)).json().data;
    expect(await outcome("POST", "/api-keys", {}, key)).toEqual(missing);
    expect(await outcome("DELETE", `/api-keys/${id}`, undefined, key)).toEqual(missing);
  },
);

test("another's keys are neither listed nor revoked", async () => {
  const { key } = await insertStranger(api);
  const [{ id }] = (await api.get("/api-keys")).json().data;
  const theirs = (await api.get("/api-keys", key)).json().data;
  expect(theirs.map((one: { id: string }) => one.id)).not.toContain(id);
  expect(await outcome("DELETE", `/api-keys/${id}`, undefined, key)).toEqual([
    404,
    "api_key_not_found",
  ]);
  expect(await outcome("GET", "/balance")).toEqual([200, undefined]);
});

test("a scope follows the route, however its path is written", async () => {
  const hooking = await insertKey(api, api.businessId, { scopes: ["webhooks"] });
  const nothing = "01900000-0000-7000-8000-000000000000/redeliver";
  for (const path of ["/notifications", "/%6eotifications", "/notification%73"])
    expect(await outcome("POST", `${path}/${nothing}`, undefined, hooking)).toEqual(missing);
  for (const path of ["/api-keys", "/%61pi-keys", "/api%2dkeys"])
    expect(await outcome("POST", path, {}, hooking)).toEqual(missing);
});

test("a chain is held by all that is of now, and by what only a newer release knows", async () => {
  for (const what of keysOf(heldThings)) {
    const held = { what, why: "refused", number: 1n, sinceMs: 0, times: 1 } as const;
    await writeReading(api.db, "ethereum", { ...plainReading, held });
    const [chain] = (await api.get("/chains")).json().data;
    expect(chain.held, what).toBe(!isOfThePast(held));
  }
  await api.db.$executeRaw`
    UPDATE chain_reading SET reading = jsonb_set(reading, '{held,what}', '"of later"')`;
  expect((await api.get("/chains")).json().data[0].held).toBe(true);
});

test("the chains are shown without what is an operator's", async () => {
  const [chain, ...others] = (await api.get("/chains")).json().data;
  expect(others).toEqual([]);
  expect(chain).toEqual({
    name: "ethereum",
    chain_id: 1,
    explorer: "https://etherscan.io",
    native_asset: "ETH",
    assets: ["ETH", "USDC"],

    position: null,
    head: null,
    confirmed: null,
    lag_seconds: null,

    stopped: false,
    held: false,
    required_confirmations: 12,
  });
});
