import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeReading } from "../../../src/ledger/chain/chain-reading.ts";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { plainReading } from "../../support/chain/reading.ts";
import { randomAddress } from "../../support/ledger/ledger-fixtures.ts";

let api: TestApi;
const logged: { fields: object; message: string }[] = [];

beforeEach(async () => {
  logged.length = 0;
  api = await openTestApi({
    log: {
      debug() {},
      info: (fields, message) => logged.push({ fields, message }),
      warn() {},
      error() {},
    },
  });
});

afterEach(() => api.stop());

const nobody = "01900000-0000-7000-8000-000000000000";
const wallet = (fields: object = {}) => ({
  blockchain: "ethereum",
  address: randomAddress(),
  ...fields,
});

describe("who may", () => {
  test("only an operator's token opens it; a business's key does not", async () => {
    const open = async (headers: Record<string, string>) =>
      (await api.web.inject({ method: "GET", url: "/admin/status", headers })).statusCode;
    expect(await open({})).toBe(401);
    expect(await open({ authorization: "Bearer wrong" })).toBe(401);
    expect(await open({ authorization: "Basic b3Bz" })).toBe(401);
    expect(await open({ "x-api-key": api.key })).toBe(401);
    expect((await api.admin("GET", "/status")).statusCode).toBe(200);
  });

  test("without tokens there is nothing there", async () => {
    const closed = await openTestApi({ adminTokens: () => [] });
    try {
      const response = await closed.admin("GET", "/status");
      expect([response.statusCode, response.json().error.code]).toEqual([404, "route_not_found"]);
    } finally {
      await closed.stop();
    }
  });

  test("a change leaves a line with who made it", async () => {
    await api.admin("POST", "/businesses", { name: "New" });
    const line = logged.find(({ message }) => message === "admin.acted");
    expect(line?.fields).toMatchObject({
      administrator: "ops",
      method: "POST",
      path: "/admin/businesses",
      status: 201,
    });
  });
});

describe("businesses", () => {
  test("are created, verified, suspended, resumed and set", async () => {
    const created = await api.admin("POST", "/businesses", { name: "New" });
    expect(created.statusCode).toBe(201);
    const { id } = created.json().data;
    expect(created.json()).toMatchObject({
      success: true,
      data: { name: "New", verified_at: null },
    });
    const act = async (verb: string) =>
      (await api.admin("POST", `/businesses/${id}/${verb}`)).json().data;
    expect((await act("verify")).verified_at).not.toBeNull();
    const { suspended_at } = await act("suspend");
    expect(suspended_at).not.toBeNull();
    expect((await act("suspend")).suspended_at).toBe(suspended_at);
    expect((await act("resume")).suspended_at).toBeNull();
    const set = await api.admin("PATCH", `/businesses/${id}`, {
      notify_pending: true,
      in_flight: 3,
      rate: 10_000,
    });
    const wanted = { name: "New", notify_pending: true, in_flight: 3, rate: 10_000 };
    expect(set.json().data).toMatchObject(wanted);
    expect((await api.admin("GET", `/businesses/${id}`)).json().data).toMatchObject(wanted);
    const head = { legal_name: "New Trading Limited", address: "1 Street\nLondon" };
    const named = await api.admin("PATCH", `/businesses/${id}`, head);
    expect(named.json().data).toMatchObject(head);
    const unnamed = await api.admin("PATCH", `/businesses/${id}`, {
      legal_name: null,
      address: "",
    });
    expect(unnamed.json().data).toMatchObject({ legal_name: null, address: null, name: "New" });
    const reset = await api.admin("PATCH", `/businesses/${id}`, { in_flight: null });
    expect(reset.json().data).toMatchObject({
      notify_pending: true,
      in_flight: null,
      rate: 10_000,
    });
    const lifted = await api.admin("PATCH", `/businesses/${id}`, { rate: null });
    expect(lifted.json().data).toMatchObject({ notify_pending: true, rate: null });
  });

  test("are listed newest first, page after page", async () => {
    for (const name of ["A", "B", "C"])
      await api.admin("POST", "/businesses", { name, verified: true });
    const first = (await api.admin("GET", "/businesses?limit=2")).json();
    const second = (
      await api.admin("GET", `/businesses?limit=2&cursor=${first.next_cursor}`)
    ).json();
    const names = [...first.data, ...second.data].map((business) => business.name);
    expect(names).toEqual(["C", "B", "A", "Example Ltd"]);
  });

  test.each([
    ["POST", "/businesses", {}, 400],
    ["POST", "/businesses", { name: " " }, 400],
    ["POST", "/businesses", { name: "a\u0000b" }, 400],
    ["POST", "/businesses", { name: "a", colour: "b" }, 400],
    ["PATCH", `/businesses/${nobody}`, { in_flight: 0 }, 400],
    ["PATCH", `/businesses/${nobody}`, { in_flight: 1.5 }, 400],
    ["PATCH", `/businesses/${nobody}`, { in_flight: 2 }, 404],
    ["PATCH", `/businesses/${nobody}`, { rate: 0 }, 400],
    ["PATCH", `/businesses/${nobody}`, { rate: 10_001 }, 400],
    ["PATCH", `/businesses/${nobody}`, { rate: 2.5 }, 400],
    ["PATCH", `/businesses/${nobody}`, { rate: "5" }, 400],
    ["PATCH", `/businesses/${nobody}`, { legal_name: "two\nlines" }, 400],
    ["PATCH", `/businesses/${nobody}`, { address: "no\n\nline" }, 400],
    ["PATCH", `/businesses/${nobody}`, { address: "a\nb\nc\nd\ne\nf\ng\nh\ni" }, 400],
    ["PATCH", `/businesses/${nobody}`, { address: "a\u0007" }, 400],
    ["POST", `/businesses/${nobody}/verify`, undefined, 404],
    ["POST", "/businesses/nonsense/verify", undefined, 404],
    ["POST", `/businesses/${nobody}/api-keys`, {}, 404],
    ["GET", `/businesses/${nobody}/api-keys`, undefined, 404],
    ["DELETE", `/api-keys/${nobody}`, undefined, 404],
    ["DELETE", "/wallets/nonsense", undefined, 404],
    ["GET", "/businesses?limit=x", undefined, 400],
  ] as const)("%s %s with %j is answered %i", async (method, url, body, status) => {
    const response = await api.admin(method, url, body);
    expect(response.statusCode).toBe(status);
    expect(response.json().success).toBe(false);
  });
});

describe("API keys", () => {
  test("are shown once, open the API, and are revoked", async () => {
    const created = await api.admin("POST", `/businesses/${api.businessId}/api-keys`, {
      label: "x",
    });
    expect(created.statusCode).toBe(201);
    const { id, key } = created.json();
    expect(created.json().data).toMatchObject({ id, key });
    expect((await api.get("/balance", key)).statusCode).toBe(200);
    const listed = await api.admin("GET", `/businesses/${api.businessId}/api-keys`);
    expect(listed.json().data[0]).toMatchObject({ id, label: "x", prefix: key.slice(0, 8) });
    expect(listed.body).not.toContain(key);
    const revoked = await api.admin("DELETE", `/api-keys/${id}`);
    expect(revoked.json().data.revoked_at).not.toBeNull();
    expect((await api.admin("DELETE", `/api-keys/${id}`)).json()).toEqual(revoked.json());
    api.clock.advance(1_100);
    expect((await api.get("/balance", key)).statusCode).toBe(403);
  });

  test("need no label and no body", async () => {
    const created = await api.admin("POST", `/businesses/${api.businessId}/api-keys`);
    expect(created.statusCode).toBe(201);
    expect(created.json().data.label).toBeNull();
  });
});

describe("wallets", () => {
  const add = (body: object) => api.admin("POST", `/businesses/${api.businessId}/wallets`, body);

  test("are added one alone, listed and removed", async () => {
    const one = wallet({ purpose: "payment", reference: "r", label: "l" });
    const added = await add(one);
    expect(added.statusCode).toBe(201);
    const { data } = added.json();
    expect(data).toMatchObject({
      business_id: api.businessId,
      blockchain: "ethereum",
      purpose: "payment",
      reference: "r",
      label: "l",
      status: "syncing",
    });
    const listed = await api.admin("GET", `/businesses/${api.businessId}/wallets`);
    expect(listed.json().data).toEqual([data]);
    const removed = await api.admin("DELETE", `/wallets/${data.wallet_id}`);
    const { wallet_id } = data;
    expect(removed.json().data).toMatchObject({ wallet_id, status: "leaving", removed_at: null });
    expect((await api.get("/wallets?status=leaving")).json().data).toMatchObject([{ wallet_id }]);
    const archived = await api.admin("POST", `/wallets/${wallet_id}/archive`);
    expect(archived.json().data).toMatchObject({ wallet_id, status: "removed" });
    expect((await api.get("/wallets")).json().data).toEqual([]);
  });

  test("are added many at once, in the order given", async () => {
    const wallets = Array.from({ length: 2_000 }, () => wallet({ label: "é".repeat(200) }));
    const added = await add({ wallets });
    expect(added.statusCode).toBe(201);
    const addresses = added
      .json()
      .data.map((each: { address: string }) => each.address.toLowerCase());
    expect(addresses).toEqual(wallets.map(({ address }) => address));
  });

  test.each([
    [{}, "blockchain"],
    [{ wallets: [] }, "wallets"],
    [{ wallets: "x" }, "wallets"],
    [{ wallets: [{ blockchain: "ethereum" }] }, "wallets[0].address"],
    [{ blockchain: "ethereum", address: "0x1", colour: "blue" }, "colour"],
    [{ blockchain: "ethereum", address: "0x1" }, "address"],
  ])("malformed as in %j are refused and the field named", async (body, field) => {
    const response = await add(body);
    expect(response.statusCode).toBe(400);
    const fields = response.json().error.details.map((detail: { field: string }) => detail.field);
    expect(fields).toContain(field);
  });
});

describe("chains", () => {
  test("show how far they are, and what is still to be delivered", async () => {
    const positionTime = new Date(api.clock.now() - 90_000);
    await api.db.chain.update({
      where: { name: "ethereum" },
      data: {
        positionNumber: 100n,
        positionHash: "0x1",
        positionTime,
        headNumber: 107n,
        confirmedNumber: 89n,
      },
    });
    expect((await api.admin("GET", "/status")).json()).toEqual({
      success: true,
      data: {
        chains: [
          {
            name: "ethereum",
            alerts: [
              {
                kind: "ChainbellChainNotWatched",
                severity: "critical",
                summary: "No process watches ethereum: what is paid is not seen.",
                since: null,
                chain: "ethereum",
                endpoint: null,
                asset: null,
                values: {},
                webhooks: [],
                runbook: "docs/runbooks.md#chainbellchainnotwatched",
              },
            ],
            position: 100,
            cursor: 100,
            head: 107,
            confirmed: 89,
            lag_blocks: 7,
            lag_seconds: 90,
            stopped: null,
            held: null,
            discrepancies: 0,
            assets: ["ETH", "USDC"],
            left_assets: [],
            opening_assets: [],
            balances: null,
            openings_answered: 0,
            unproven: 0,
            histories: 0,
            reconciled_at: null,
            agreed: null,
            read_at: null,
            tracing: null,
            reading: null,
            gives_up: null,
            gives_up_codes: null,
            verification: null,
            evidence: null,
            upgrade: null,
            agreed_blocks: null,
            discovered: null,
            endpoints: null,
          },
        ],
        outbox: { waiting: 0, held: 0, oldest_waiting_at: null },
        id_key: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    });
  });

  test("show how well they are known, and an upgrade that this version does not read", async () => {
    const atMs = api.clock.now() + 7 * 86_400_000;
    const upgrade = { name: "Tomorrow", atMs };
    await writeReading(api.db, "ethereum", { ...plainReading, upgrade, held: null });
    const [shown] = (await api.admin("GET", "/status")).json().data.chains;
    expect(shown).toMatchObject({
      evidence: { level: "recorded", source: "some blocks" },
      upgrade: { name: "Tomorrow", at: new Date(atMs).toISOString() },
    });
    const metrics = await api.get("/metrics", null);
    expect(metrics.body).toMatch(
      /^chainbell_chain_upgrade_seconds\{chain="ethereum",upgrade="Tomorrow"\} 6\d{5}$/m,
    );
  });

  test("show what an alert would say of them and of their endpoints, the critical first", async () => {
    const silent = {
      name: "rpc.example",
      score: 0.1,
      failures: 9,
      lastError: "timeout",
      head: null,
      latencyMs: null,
      requestsPerSecond: null,
      concurrency: 1,
      calls: 9,
      callsHours: 1,
      charged: null,
    };
    await writeReading(api.db, "ethereum", { ...plainReading, endpoints: [silent], held: null });
    const [shown] = (await api.admin("GET", "/status")).json().data.chains;
    expect(shown.alerts.map(({ kind }: { kind: string }) => kind)).toEqual([
      "ChainbellChainNotWatched",
      "ChainbellEndpointFailing",
    ]);
    expect(shown.alerts[1]).toMatchObject({
      severity: "warning",
      chain: "ethereum",
      endpoint: "rpc.example",
      asset: null,
      values: {},
    });
  });

  test("are reset by name", async () => {
    const reset = await api.admin("POST", "/chains/ethereum/reset");
    expect(reset.json()).toMatchObject({ success: true, data: { name: "ethereum", reversed: 0 } });
    expect((await api.admin("POST", "/chains/moon/reset")).statusCode).toBe(404);
  });
});
