import { describe, expect, test } from "vitest";
import { type Browser, entered, linkOf, openBrowser } from "../../../support/api/browser.ts";
import { eachTestApi } from "../../../support/api/each-api.ts";
import {
  adminToken,
  insertStranger,
  tokenWith,
  viewerToken,
} from "../../../support/api/test-api.ts";

const api = eachTestApi();

const over = [401, "console_session_over"];
const refused = [403, "console_request_refused"];
const roleMissing = [403, "role_missing"];

const browser = () => openBrowser(api.web);

const byKey = () => entered(api, { api_key: api.key });
const byAdmin = () => entered(api, { admin_token: adminToken });

const auditOf = async (action: string) => {
  const entries = (await api.admin("GET", "/audit")).json().data;
  return entries.filter((entry: { action: string }) => entry.action === action);
};

describe("nobody gets at another's", () => {
  test("sessions: a stranger neither sees nor ends them, nor does an operator's console", async () => {
    const own = await byKey();
    const [{ id }] = (await own.ask("GET", "/sessions")).json().data;
    const { key } = await insertStranger(api);
    for (const other of [await entered(api, { api_key: key }), await byAdmin()]) {
      const ids = (await other.ask("GET", "/sessions"))
        .json()
        .data.map((one: { id: string }) => one.id);
      expect(ids).not.toContain(id);
      expect(await other.outcome("DELETE", `/sessions/${id}`)).toEqual([
        404,
        "console_session_not_found",
      ]);
    }
    expect(await own.outcome("GET", "/session")).toEqual([200]);
  });

  test("routes: a business none of an operator, an operator none of a business", async () => {
    const business = await byKey();
    expect(await business.outcome("GET", "/api/admin/businesses")).toEqual(roleMissing);
    const operator = await byAdmin();
    expect(await operator.outcome("GET", "/api/admin/businesses")).toEqual([200]);
    expect(await operator.outcome("GET", "/api/balance")).toEqual(roleMissing);
  });

  test("data: what a session is answered is its own business's", async () => {
    const { key } = await insertStranger(api);
    const other = await entered(api, { api_key: key });
    const wallet = { blockchain: "ethereum", address: `0x${"ab".repeat(20)}` };
    await api.admin("POST", `/businesses/${api.businessId}/wallets`, wallet);
    const [{ wallet_id: id }] = (await (await byKey()).ask("GET", "/api/wallets")).json().data;
    expect((await other.ask("GET", "/api/wallets")).json().data).toEqual([]);
    expect(await other.outcome("GET", `/api/wallets/${id}`)).toEqual([404, "wallet_not_found"]);
  });
});

describe("a viewer", () => {
  test("of the operators looks and changes nothing", async () => {
    const viewer = await entered(api, { admin_token: viewerToken });
    expect((await viewer.ask("GET", "/session")).json().data).toMatchObject({
      kind: "operator",
      role: "viewer",
      business: null,
    });
    expect(await viewer.outcome("GET", "/api/admin/status")).toEqual([200]);
    expect(await viewer.outcome("POST", "/api/admin/businesses", { name: "New" })).toEqual(
      roleMissing,
    );
  });

  test("ends its own session alone", async () => {
    const [viewer, developer] = [await entered(api, { link: await linkOf(api) }), await byKey()];
    const { data } = (await developer.ask("GET", "/sessions")).json();
    const own = data.find((one: { current: boolean }) => one.current);
    expect(await viewer.outcome("DELETE", `/sessions/${own.id}`)).toEqual(roleMissing);
    expect(await viewer.outcome("DELETE", "/session")).toEqual([204]);
  });
});

describe("a token with scopes", () => {
  const missing = [403, "scope_missing"];

  test("makes a session that does what they say", async () => {
    const one = await entered(api, { admin_token: tokenWith("businesses") });
    expect((await one.ask("GET", "/session")).json().data).toMatchObject({
      role: "operator",
      rights: ["businesses"],
    });
    expect(await one.outcome("POST", "/api/admin/businesses", { name: "New" })).toEqual([201]);
    expect(await one.outcome("GET", "/api/admin/businesses")).toEqual(missing);
    expect(await one.outcome("POST", "/api/admin/chains/ethereum/reset")).toEqual(missing);
    const reading = await entered(api, { admin_token: tokenWith("read") });
    expect(await reading.outcome("GET", "/api/admin/businesses")).toEqual([200]);
    expect(await reading.outcome("POST", "/api/admin/businesses", { name: "B" })).toEqual(missing);
  });

  test("ends no session of others", async () => {
    const one = await entered(api, { admin_token: tokenWith("chains") });
    const { data } = (await (await byAdmin()).ask("GET", "/sessions")).json();
    const own = data.find((session: { current: boolean }) => session.current);
    expect(await one.outcome("DELETE", `/sessions/${own.id}`)).toEqual(roleMissing);
    expect(await one.outcome("DELETE", "/session")).toEqual([204]);
  });
});

describe("a request that another site made a browser send", () => {
  const webhook = { url: "https://a.example/" };
  const change = (one: Browser, headers: Record<string, string>) =>
    one.outcome("POST", "/api/webhooks", webhook, { headers });

  test.each([
    ["another origin", { origin: "https://evil.example" }],
    ["an origin of another port", { origin: "https://console.example:8443" }],
    ["no origin that has a name", { origin: "null" }],
    ["an origin that is none", { origin: "console.example" }],
    ["another site, as the browser says", { "sec-fetch-site": "cross-site" }],
    ["another host of the same site", { "sec-fetch-site": "same-site" }],
    ["no page at all", { "sec-fetch-site": "none" }],
    ["a wrong token", { "x-console-token": "A".repeat(43) }],
    ["an empty token", { "x-console-token": "" }],
  ])("is refused: %s", async (_what, headers) => {
    const one = await byKey();
    expect(await change(one, headers)).toEqual(refused);
    expect(await one.outcome("DELETE", "/session", undefined, { headers })).toEqual(refused);
    expect(await change(one, {})).toEqual([201]);
  });

  test("is refused without a token, and with another session's", async () => {
    const [one, other] = [await byKey(), await byKey()];
    expect(await change(one, { "x-console-token": other.token })).toEqual(refused);
    one.token = "";
    expect(await change(one, {})).toEqual(refused);
  });

  test("does not come in, nor read", async () => {
    const headers = { origin: "https://evil.example" };
    expect(await browser().outcome("POST", "/session", { api_key: api.key }, { headers })).toEqual(
      refused,
    );
    const one = await byKey();
    const site = { headers: { "sec-fetch-site": "cross-site" } };
    expect(await one.outcome("GET", "/api/balance", undefined, site)).toEqual(refused);
  });
});

describe("the cookie", () => {
  test("opens nothing of the API proper", async () => {
    for (const one of [await byKey(), await byAdmin()]) {
      const { cookie, token } = one;
      const [, secret = ""] = cookie.split("=");
      const ways: Record<string, string>[] = [
        { cookie, "x-console-token": token, host: "console.example" },
        { authorization: `Bearer ${secret}` },
        { authorization: `Bearer ${token}` },
        { "x-api-key": secret },
      ];
      for (const url of ["/balance", "/wallets", "/audit", "/admin/status", "/admin/businesses"]) {
        for (const headers of ways) {
          const { statusCode } = await api.web.inject({ url, headers });
          expect([url, statusCode]).toEqual([url, 401]);
        }
      }
    }
  });

  test("is all that opens the console: a key, a token and an admin token do not", async () => {
    const ways: Record<string, string>[] = [
      { "x-api-key": api.key },
      { authorization: `Bearer ${adminToken}` },
      { cookie: `__Host-chainbell-console=${api.key}` },
      { cookie: `chainbell-console=${"A".repeat(43)}` },
      { cookie: `__Host-chainbell-console=${"A".repeat(43)}` },
      {},
    ];
    for (const path of ["/api/balance", "/api/admin/status", "/session", "/sessions"]) {
      for (const headers of ways)
        expect(await browser().outcome("GET", path, undefined, { headers })).toEqual(over);
    }
  });

  test("is not what is stored: the digest opens nothing", async () => {
    const one = await byKey();
    const { digest } = await api.db.consoleSession.findFirstOrThrow();
    const name = one.cookie.split("=")[0];
    for (const value of [digest, digest.slice(0, 43)]) {
      const thief = Object.assign(browser(), { cookie: `${name}=${value}` });
      expect(await thief.outcome("GET", "/session")).toEqual(over);
    }
  });
});

describe("the audit trail says who", () => {
  test("of a business: the session, and how it began", async () => {
    const one = await entered(api, { link: await linkOf(api, "developer") });
    const { id } = (await one.ask("GET", "/session")).json().data;
    await one.ask("POST", "/api/webhooks", { url: "https://a.example/" });
    const [registered] = await auditOf("webhook.register");
    expect(registered).toMatchObject({ actor: id, via: "console", address: "203.0.113.7" });
    // The operator sees who made the link, the business does not.
    expect(registered.actor_name).toBe("ops");
    const [began] = await auditOf("console.enter");
    expect(began).toMatchObject({
      actor: id,
      via: "console",
      subject: id,
      details: { businessId: api.businessId, role: "developer", way: "link", madeBy: "ops" },
    });
    const own = (await one.ask("GET", "/api/audit")).json().data;
    expect(own[0]).toMatchObject({
      action: "webhook.register",
      actor: "console",
      session_id: id,
      key_id: null,
    });
    expect(own.map(({ action }: { action: string }) => action)).toContain("console.enter");
  });

  test("of an operator: the token's name", async () => {
    const one = await byAdmin();
    await one.ask("POST", "/api/admin/businesses", { name: "New" });
    const [created] = await auditOf("business.create");
    expect(created).toMatchObject({ actor: "ops", via: "http", address: "203.0.113.7" });
  });
});

test("a request with an Idempotency-Key is carried out once", async () => {
  const one = await byAdmin();
  const extra = { headers: { "idempotency-key": "k" } };
  const first = await one.ask("POST", "/api/admin/businesses", { name: "New" }, extra);
  const again = await one.ask("POST", "/api/admin/businesses", { name: "New" }, extra);
  expect(again.headers["idempotency-replayed"]).toBe("true");
  expect(again.json()).toEqual(first.json());
});

test("nothing of the console is in the description of the API but how a link is made", async () => {
  const document = (await api.get("/openapi.json", null)).json();
  const paths = Object.keys(document.paths).filter((path) => path.includes("console"));
  expect(paths).toEqual(["/admin/businesses/{id}/console-link"]);
});
