import type { LightMyRequestResponse } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { digestOf, madeBySession, newLink } from "../../../../src/domain/console/session.ts";
import { auditedForConsole } from "../../../../src/ledger/console-ledger.ts";
import { type Browser, entered, linkOf, openBrowser } from "../../../support/api/browser.ts";
import { eachTestApi } from "../../../support/api/each-api.ts";
import { insertKey, insertStranger, openTestApi } from "../../../support/api/test-api.ts";
import { newWallet } from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, suspendBusiness } from "../../../support/ledger/steps.ts";

const api = eachTestApi();

const hourMs = 60 * 60_000;
const over = [401, "console_session_over"];
const invalidLink = [401, "invalid_console_link"];
const roleMissing = [403, "role_missing"];

const browser = () => openBrowser(api.web);

const byKey = () => entered(api, { api_key: api.key });

/** The link that a session of a business has made. */
const linkIn = (made: LightMyRequestResponse): string => {
  expect(made.statusCode).toBe(201);
  const [, link = ""] = /^\/console\/enter#(cbl_.+)$/.exec(made.json().data.path) ?? [];
  return link;
};

const ownLinkOf = async (maker: Browser, role: "viewer" | "developer") =>
  linkIn(await maker.ask("POST", "/links", { role }));

const auditOf = async (action: string) => {
  const entries = (await api.admin("GET", "/audit")).json().data;
  return entries.filter((entry: { action: string }) => entry.action === action);
};

describe("a link", () => {
  test("lets one in as what it says, with a cookie that scripts and other sites do not get", async () => {
    const one = browser();
    const response = await one.enter({ link: await linkOf(api, "developer") });
    expect(response.statusCode).toBe(201);
    const kept = "Path=/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure";
    const [secret = ""] = /(?<==)[\w-]{43}/.exec(one.cookie) ?? [];
    expect(response.headers["set-cookie"]).toEqual([
      `__Host-chainbell-console=${secret}; ${kept}`,
      `__Host-chainbell-console-digest=${digestOf(secret)}; ${kept.replace("Strict", "Lax")}`,
    ]);
    const { data } = response.json();
    expect(data).toMatchObject({
      kind: "business",
      role: "developer",
      business: { id: api.businessId, name: "Example Ltd" },
      development: false,
    });
    expect((await one.ask("GET", "/session")).json().data).toEqual(data);
    expect((await one.ask("GET", "/api/balance")).json().success).toBe(true);
  });

  test("is for looking, unless it says otherwise", async () => {
    const one = await entered(api, { link: await linkOf(api) });
    expect((await one.ask("GET", "/session")).json().data.role).toBe("viewer");
    expect(await one.outcome("POST", "/api/webhooks", { url: "https://a.example/" })).toEqual(
      roleMissing,
    );
    expect((await one.ask("GET", "/api/webhooks")).statusCode).not.toBe(403);
  });

  test("is good once: of any number who show it at the same moment, one is let in", async () => {
    const link = await linkOf(api);
    const answers = await Promise.all(Array.from({ length: 8 }, () => browser().enter({ link })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([
      201,
      ...Array(7).fill(401),
    ]);
    expect(await browser().outcome("POST", "/session", { link })).toEqual(invalidLink);
  });

  test("is good for ten minutes", async () => {
    const [first, second] = [await linkOf(api), await linkOf(api)];
    api.clock.advance(10 * 60_000 - 1);
    expect(await browser().outcome("POST", "/session", { link: first })).toEqual([201]);
    api.clock.advance(1);
    expect(await browser().outcome("POST", "/session", { link: second })).toEqual(invalidLink);
  });

  test("of a developer lets a second person into the same business, as what it says", async () => {
    const developer = await byKey();
    const made = await developer.ask("POST", "/links", { role: "viewer" });
    expect(Date.parse(made.json().data.expires_at) - api.clock.now()).toBe(10 * 60_000);
    const link = linkIn(made);
    const viewer = await entered(api, { link });
    const own = (await developer.ask("GET", "/session")).json().data;
    expect((await viewer.ask("GET", "/session")).json().data).toMatchObject({
      role: "viewer",
      business: { id: api.businessId },
    });
    const names = (await developer.ask("GET", "/sessions")).json().data;
    expect(names.map(({ name }: { name: string }) => name)).toContain(own.id);
    const [entry] = await auditOf("business.console-link");
    expect(entry).toMatchObject({ actor: own.id, via: "console", subject: api.businessId });
    expect(JSON.stringify(entry)).not.toContain(link);

    expect(await viewer.outcome("POST", "/links", { role: "viewer" })).toEqual(roleMissing);
    expect(await browser().outcome("POST", "/links", { role: "viewer" })).toEqual(over);
    const limited = await insertKey(api, api.businessId, { scopes: ["read", "webhooks"] });
    const few = await entered(api, { api_key: limited });
    const [status] = await few.outcome("POST", "/links", { role: "developer" });
    expect(status).toBe(403);
  });

  test("of a developer opens no more than a key without scopes: not what an operator grants", async () => {
    const [wallet] = await addWallets(api.db, {
      businessId: api.businessId,
      wallets: [newWallet()],
    });
    const change = [
      "PUT",
      `/api/wallets/${wallet?.id}/thresholds`,
      { thresholds: [{ asset: "ETH", below: "1" }] },
    ] as const;
    const missing = [403, "scope_missing"];
    expect(await (await byKey()).outcome(...change)).toEqual(missing);
    const one = await entered(api, { link: await linkOf(api, "developer") });
    expect(await one.outcome(...change)).toEqual(missing);
    const { address, blockchain } = { address: `0x${"5a".repeat(20)}`, blockchain: "ethereum" };
    expect(await one.outcome("POST", "/api/wallets", { address, blockchain })).toEqual(missing);
    expect(await one.outcome("POST", "/api/webhooks", { url: "https://a.example/" })).toEqual([
      201,
    ]);
  });

  test("that is none is refused as one that was used", async () => {
    const link = await linkOf(api);
    for (const wrong of ["", "nonsense", `cbl_${"A".repeat(43)}`, link.slice(0, -1), `${link}A`])
      expect(await browser().outcome("POST", "/session", { link: wrong })).toEqual(invalidLink);
    expect(await browser().outcome("POST", "/session", { link })).toEqual([201]);
  });

  test("of a suspended business lets nobody in, and is still good once it is resumed", async () => {
    const { businessId } = await insertStranger(api);
    const link = await linkOf(api, "developer", businessId);
    await suspendBusiness(api.db, businessId);
    const suspended = [403, "business_suspended"];
    expect(await browser().outcome("POST", "/session", { link })).toEqual(suspended);
    await api.admin("POST", `/businesses/${businessId}/resume`);
    const one = await entered(api, { link });
    await suspendBusiness(api.db, businessId);
    expect(await one.outcome("GET", "/api/balance")).toEqual(suspended);
  });

  test("and the secret of a session are nowhere in the database", async () => {
    const link = await linkOf(api, "developer");
    const unused = await linkOf(api);
    const one = await entered(api, { link });
    const [, secret = ""] = one.cookie.split("=");
    for (const table of ["console_link", "console_session", "audit_entry"]) {
      const rows = await api.db.$queryRawUnsafe<object[]>(`SELECT t::text FROM ${table} t`);
      const text = JSON.stringify(rows);
      for (const hidden of [link, unused, secret, one.token]) expect(text).not.toContain(hidden);
    }
  });
});

describe("a session that began with an API key", () => {
  test("may do what the key may", async () => {
    const reading = await entered(api, {
      api_key: await insertKey(api, api.businessId, { scopes: ["read"] }),
    });
    expect((await reading.ask("GET", "/session")).json().data.role).toBe("viewer");
    const notifying = await entered(api, {
      api_key: await insertKey(api, api.businessId, { scopes: ["read", "notifications"] }),
    });
    const webhook = ["POST", "/api/webhooks", { url: "https://a.example/" }] as const;
    expect(await notifying.outcome(...webhook)).toEqual([403, "scope_missing"]);
    expect(await (await byKey()).outcome(...webhook)).toEqual([201]);
  });

  test("ends no session of others where its key has limits", async () => {
    const other = await byKey();
    const { id } = (await other.ask("GET", "/session")).json().data;
    const limited = { scopes: ["read", "notifications"] as const };
    const one = await entered(api, { api_key: await insertKey(api, api.businessId, limited) });
    expect(await one.outcome("DELETE", `/sessions/${id}`)).toEqual([403, "scope_missing"]);
    expect(await other.outcome("GET", "/session")).toEqual([200]);
    const own = (await one.ask("GET", "/session")).json().data;
    expect(await one.outcome("DELETE", `/sessions/${own.id}`)).toEqual([204]);
  });

  test("ends with its key", async () => {
    const key = await insertKey(api, api.businessId);
    const one = await entered(api, { api_key: key });
    const [{ id }] = (await api.admin("GET", `/businesses/${api.businessId}/api-keys`)).json().data;
    await api.admin("DELETE", `/api-keys/${id}`);
    api.clock.advance(1_100);
    expect(await one.outcome("GET", "/api/balance")).toEqual([403, "key_revoked"]);
    expect(await one.outcome("GET", "/session")).toEqual([403, "key_revoked"]);
    expect(await browser().outcome("POST", "/session", { api_key: key })).toEqual([
      403,
      "key_revoked",
    ]);
  });

  test("takes along all that its links let in, and the links that nobody has used", async () => {
    const key = await insertKey(api, api.businessId);
    const [{ id }] = (await api.admin("GET", `/businesses/${api.businessId}/api-keys`)).json().data;
    const one = await entered(api, { api_key: key });
    const second = await entered(api, { link: await ownLinkOf(one, "developer") });
    const third = await entered(api, { link: await ownLinkOf(second, "viewer") });
    const unused = await ownLinkOf(second, "developer");
    const other = await entered(api, { link: await ownLinkOf(await byKey(), "developer") });
    await api.admin("DELETE", `/api-keys/${id}`);
    api.clock.advance(1_100);
    for (const ended of [one, second, third]) {
      expect(await ended.outcome("GET", "/api/balance")).toEqual([403, "key_revoked"]);
      expect(await ended.outcome("GET", "/session")).toEqual([403, "key_revoked"]);
    }
    expect(await browser().outcome("POST", "/session", { link: unused })).toEqual(invalidLink);
    expect(await other.outcome("GET", "/api/balance")).toEqual([200]);
    const listed = (await other.ask("GET", "/sessions")).json().data;
    expect(listed.map(({ way }: { way: string }) => way).toSorted()).toEqual(["api_key", "link"]);
  });

  test("is refused from where the key is", async () => {
    const key = await insertKey(api, api.businessId, { networks: ["198.51.100.0/24"] });
    const inside = { address: "198.51.100.9" };
    const one = browser();
    expect(await one.outcome("POST", "/session", { api_key: key })).toEqual([
      403,
      "network_refused",
    ]);
    await one.enter({ api_key: key }, inside);
    expect(await one.outcome("GET", "/api/balance", undefined, inside)).toEqual([200]);
    expect(await one.outcome("GET", "/api/balance")).toEqual([403, "network_refused"]);
  });
});

describe("a session ends", () => {
  test("after twelve hours, however busy", async () => {
    const one = await byKey();
    for (let half = 0; half < 23; half += 1) {
      api.clock.advance(hourMs / 2);
      expect(await one.outcome("GET", "/api/balance")).toEqual([200]);
    }
    api.clock.advance(hourMs / 2);
    expect(await one.outcome("GET", "/api/balance")).toEqual(over);
  });

  test("after an hour without use; what a page reads by itself is none", async () => {
    const [used, left] = [await byKey(), await byKey()];
    const alone = { headers: { "x-console-background": "1" } };
    for (let turn = 0; turn < 2; turn += 1) {
      api.clock.advance(hourMs / 2 - 1);
      expect(await left.outcome("GET", "/api/balance", undefined, alone)).toEqual([200]);
      expect(await used.outcome("GET", "/api/balance")).toEqual([200]);
    }
    api.clock.advance(2);
    expect(await left.outcome("GET", "/api/balance", undefined, alone)).toEqual(over);
    expect(await left.outcome("GET", "/session")).toEqual(over);
    expect(await used.outcome("GET", "/api/balance")).toEqual([200]);
  });

  test("where somebody leaves", async () => {
    const one = await byKey();
    const left = await one.ask("DELETE", "/session");
    expect([left.statusCode, left.body]).toEqual([204, ""]);
    expect(String(left.headers["set-cookie"])).toMatch(/^__Host-chainbell-console=; .*Max-Age=0/);
    expect(await one.outcome("GET", "/api/balance")).toEqual(over);
  });

  test("where the same browser comes in anew", async () => {
    const one = await byKey();
    const before = one.cookie;
    await one.enter({ api_key: api.key });
    expect(one.cookie).not.toBe(before);
    const old = Object.assign(browser(), { cookie: before });
    expect(await old.outcome("GET", "/session")).toEqual(over);
  });

  test("at the moment when its browser comes in anew, which gets in", async () => {
    let onceFound: () => Promise<unknown> = async () => {};
    const own = await openTestApi(({ console }) => ({
      console: console && {
        ...console,
        ledger: {
          ...console.ledger,
          async findSession(...asked) {
            const found = await console.ledger.findSession(...asked);
            const act = onceFound;
            onceFound = async () => {};
            await act();
            return found;
          },
        },
      },
    }));
    onTestFinished(() => own.stop());
    const one = await entered(own, { link: await linkOf(own) });
    const { cookie, token } = one;
    const left = Object.assign(openBrowser(own.web), { cookie, token });
    const link = await linkOf(own);
    const elsewhere = { address: "203.0.113.8" };
    onceFound = async () =>
      expect(await left.outcome("DELETE", "/session", undefined, elsewhere)).toEqual([204]);
    expect((await one.enter({ link })).statusCode).toBe(201);
    expect(await one.outcome("GET", "/session")).toEqual([200]);
  });

  test("where it is revoked, with its links that nobody has used; those of one who leaves stay", async () => {
    const own = await byKey();
    const [stolen, leaving] = [
      await entered(api, { link: await linkOf(api, "developer") }),
      await entered(api, { link: await linkOf(api, "developer") }),
    ];
    const guest = await entered(api, { link: await ownLinkOf(stolen, "viewer") });
    const unused = await ownLinkOf(stolen, "developer");
    const left = await ownLinkOf(leaving, "viewer");
    const { id } = (await stolen.ask("GET", "/session")).json().data;
    expect(await own.outcome("DELETE", `/sessions/${id}`)).toEqual([204]);
    expect(await browser().outcome("POST", "/session", { link: unused })).toEqual(invalidLink);
    expect(await guest.outcome("GET", "/api/balance")).toEqual([200]);
    expect(await leaving.outcome("DELETE", "/session")).toEqual([204]);
    expect(await browser().outcome("POST", "/session", { link: left })).toEqual([201]);
    // As if it had asked just before it was revoked.
    const audited = auditedForConsole(api.db)({
      name: id,
      via: "console",
      address: "203.0.113.7",
      businessId: api.businessId,
    });
    const subject = { kind: "business", businessId: api.businessId, role: "developer" } as const;
    const { digest, expiresAt } = newLink(api.clock.now());
    const late = audited("business.console-link", async (ledger) => {
      const madeBy = madeBySession(id);
      await ledger.createLink({ digest, subject, madeBy, keyId: null, expiresAt });
      return { output: null, entry: { subject: api.businessId, details: {} } };
    });
    await expect(late).rejects.toMatchObject({ code: "console_session_over" });
  });

  test("where it is revoked: a stolen cookie opens nothing from then on", async () => {
    const own = await byKey();
    api.clock.advance(1_000);
    const stolen = await entered(api, { link: await linkOf(api, "developer") });
    const { data } = (await own.ask("GET", "/sessions")).json();
    expect(data).toHaveLength(2);
    expect(data.map(({ way, current }: Record<string, unknown>) => [way, current])).toEqual([
      ["link", false],
      ["api_key", true],
    ]);
    expect(JSON.stringify(data)).not.toContain(stolen.token);
    expect(await own.outcome("DELETE", `/sessions/${data[0].id}`)).toEqual([204]);
    expect(await stolen.outcome("GET", "/api/balance")).toEqual(over);
    expect(await own.outcome("DELETE", `/sessions/${data[0].id}`)).toEqual([
      404,
      "console_session_not_found",
    ]);
    const [entry] = await auditOf("console.revoke");
    expect(entry).toMatchObject({ via: "console", actor: data[1].id, subject: data[0].id });
  });
});
