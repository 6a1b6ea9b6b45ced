import { describe, expect, test } from "vitest";
import { toChecksum } from "../../../src/domain/chain/checksum.ts";
import { lockChain } from "../../../src/ledger/chain/chain-state.ts";
import { inTransaction } from "../../../src/ledger/postgres/transaction.ts";
import { entered, linkOf } from "../../support/api/browser.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertKey, insertStranger } from "../../support/api/test-api.ts";
import { newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../support/ledger/steps.ts";
import { waitFor } from "../../support/wait-for.ts";

const api = eachTestApi();

const granted = (maxWallets: number, businessId = api.businessId) =>
  insertKey(api, businessId, { scopes: ["wallets:write"], maxWallets });

const own = () => ({ blockchain: "ethereum", address: newWallet().address });

const outcome = async (answer: Promise<{ statusCode: number; json: () => unknown }>) => {
  const response = await answer;
  const body = response.json() as { error?: { code: string } };
  return body.error === undefined ? [response.statusCode] : [response.statusCode, body.error.code];
};

const post = (key: string, body: object) => api.post("/wallets", body, key);
const missing = [403, "scope_missing"];

describe("a key with wallets:write", () => {
  test("adds wallets of its business, on record as its own, and does nothing else", async () => {
    const key = await granted(10);
    const wallet = { ...own(), purpose: "payment", reference: "order-17", label: "till" };
    const answer = await post(key, wallet);
    expect(answer.statusCode).toBe(201);
    const { data } = answer.json();
    expect(data).toMatchObject({ ...wallet, address: toChecksum(wallet.address as "0x") });
    expect(data).toMatchObject({ status: "syncing", history: null });
    expect(data.business_id).toBeUndefined();
    const listed = (await api.get(`/wallets/${data.wallet_id}`)).json().data;
    expect(listed).toEqual({ ...data, thresholds: [] });
    const many = await post(key, { wallets: [own(), own()] });
    expect(many.json().data).toHaveLength(2);
    const [entry] = (await api.get("/audit")).json().data;
    expect(entry).toMatchObject({ action: "wallet.add", actor: "key", details: { count: 2 } });
    for (const path of ["/balance", "/wallets", "/audit", `/wallets/${data.wallet_id}`])
      expect(await outcome(api.get(path, key)), path).toEqual(missing);
    expect(await outcome(api.post("/webhooks", { url: "https://a.example/" }, key))).toEqual(
      missing,
    );
    expect(await outcome(api.post("/api-keys", {}, key))).toEqual(missing);
  });

  test("adds until the business has as many as it says, whoever added them", async () => {
    const key = await granted(3);
    const wallets = [newWallet()];
    await addWallets(api.db, { businessId: api.businessId, wallets });
    expect(await outcome(post(key, { wallets: [own(), own(), own()] }))).toEqual([
      409,
      "limit_reached",
    ]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => outcome(post(key, own()))));
    expect(answers.filter(([status]) => status === 201)).toHaveLength(2);
    expect(answers.filter(([, code]) => code === "limit_reached")).toHaveLength(3);
  });

  test("leaves the business to a block's commit while it waits for the chain", async () => {
    const key = await granted(10);
    let answer: ReturnType<typeof outcome> | null = null;
    const free = await inTransaction(api.db, async (commit) => {
      await lockChain(commit, "ethereum");
      answer ??= outcome(post(key, own()));
      await waitFor(
        async () => {
          const waiting = await api.db.$queryRaw<unknown[]>`
            SELECT 1 FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted`;
          return waiting.length > 0;
        },
        { what: "the request to wait for the chain", timeoutMs: 10_000 },
      );
      // As notifying the business does, but without waiting.
      return commit.$queryRaw<unknown[]>`
        SELECT 1 FROM business WHERE id = ${api.businessId}::uuid FOR SHARE SKIP LOCKED`;
    });
    expect([free.length, await answer]).toEqual([1, [201]]);
  });

  test("is carried out once where it is sent twice", async () => {
    const key = await granted(10);
    const headers = { "x-api-key": key, "idempotency-key": "a" };
    const send = (payload: object) =>
      api.web.inject({ method: "POST", url: "/wallets", headers, payload });
    const wallet = own();
    const first = await send(wallet);
    const again = await send(wallet);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.json()).toEqual(first.json());
  });

  test("is told no more of another's address than of one that is no wallet", async () => {
    const key = await granted(10);
    const stranger = await insertStranger(api);
    const [taken, mine] = [newWallet(), newWallet()];
    await addWallets(api.db, { businessId: stranger.businessId, wallets: [taken] });
    await addWallets(api.db, { businessId: api.businessId, wallets: [mine] });
    const usdc = await api.db.asset.findFirstOrThrow({ where: { code: "USDC" } });
    const refusalOf = async (address: string) => {
      const response = await post(key, { blockchain: "ethereum", address });
      const { request_id: _, ...body } = response.json();
      const shown = toChecksum(address as "0x");
      return [response.statusCode, JSON.stringify(body).replaceAll(shown, "ADDRESS")];
    };
    const ofAnother = await refusalOf(taken.address);
    expect(ofAnother[0]).toBe(409);
    expect(ofAnother[1]).toContain('"address_refused"');
    expect(ofAnother[1]).not.toMatch(/Stranger|belongs|exists|watched|another/i);
    expect(ofAnother[1]).not.toContain(stranger.businessId);
    expect(await refusalOf(usdc.address)).toEqual(ofAnother);
    expect(await refusalOf(`0x${"0".repeat(40)}`)).toEqual(ofAnother);
    const { address } = mine;
    expect(await outcome(post(key, { blockchain: "ethereum", address }))).toEqual([
      409,
      "wallet_exists",
    ]);
    const both = { wallets: [own(), { blockchain: "ethereum", address: taken.address }] };
    expect(await outcome(post(key, both))).toEqual([409, "address_refused"]);
    expect(await api.db.wallet.count()).toBe(2);
  });

  test.each([
    [{ blockchain: "nowhere" }, "unknown_blockchain"],
    [{ address: "0x12" }, "invalid_address"],
    [{ from_block: 1 }, "invalid_request"],
    [{ purpose: "gift" }, "invalid_request"],
  ])("is refused %o", async (change, code) => {
    expect(await outcome(post(await granted(10), { ...own(), ...change }))).toEqual([400, code]);
  });

  test("adds at most 100 in one call", async () => {
    const wallets = Array.from({ length: 101 }, own);
    expect(await outcome(post(await granted(1_000), { wallets }))).toEqual([
      400,
      "invalid_request",
    ]);
  });

  test("keeps its maximum when it is replaced", async () => {
    const body = { scopes: ["wallets:write"], max_wallets: 7 };
    const path = `/businesses/${api.businessId}/api-keys`;
    const { data } = (await api.admin("POST", path, body)).json();
    expect(data).toMatchObject(body);
    const rotated = (await api.admin("POST", `/api-keys/${data.id}/rotate`, {})).json().data;
    expect(rotated).toMatchObject(body);
    expect(await outcome(post(rotated.key, own()))).toEqual([201]);
  });
});

describe("adding wallets is never implied", () => {
  test("by a key without scopes, its token, or a session", async () => {
    expect(await outcome(post(api.key, own()))).toEqual(missing);
    const { access_token } = (await api.post("/auth/token")).json();
    const headers = { authorization: `Bearer ${access_token}` };
    const payload = own();
    expect(
      await outcome(api.web.inject({ method: "POST", url: "/wallets", headers, payload })),
    ).toEqual(missing);
    for (const credential of [{ api_key: api.key }, { link: await linkOf(api, "developer") }]) {
      const browser = await entered(api, credential);
      expect(await browser.outcome("POST", "/api/wallets", own())).toEqual(missing);
    }
  });

  test("and a business cannot grant it to itself", async () => {
    for (const body of [
      { scopes: ["wallets:write"] },
      { scopes: ["wallets:write"], max_wallets: 5 },
      { max_wallets: 5 },
    ])
      expect(await outcome(api.post("/api-keys", body))).toEqual([400, "invalid_request"]);
  });

  test.each([
    { scopes: ["wallets:write"] },
    { scopes: ["read"], max_wallets: 5 },
    { scopes: ["wallets:write"], max_wallets: 0 },
    { scopes: ["wallets:write"], max_wallets: 1_000_001 },
  ])("nor an operator without a maximum: %o", async (body) => {
    const answer = api.admin("POST", `/businesses/${api.businessId}/api-keys`, body);
    expect(await outcome(answer)).toEqual([400, "invalid_request"]);
  });
});
