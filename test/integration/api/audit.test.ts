import { describe, expect, test } from "vitest";
import {
  type AuditFault,
  auditFaults,
  placeAfter,
} from "../../../src/domain/evidence/audit-chain.ts";
import { record } from "../../../src/ledger/businesses/audit.ts";
import { chainAudit, lockChain } from "../../../src/ledger/businesses/audit-chain.ts";
import { inTransaction } from "../../../src/ledger/postgres/transaction.ts";
import { entered, linkOf } from "../../support/api/browser.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import { changeJournal } from "../../support/ledger/change-journal.ts";

const api = eachTestApi();

const own = async (key?: string) => (await api.get("/audit", key)).json().data;
const verified = async () => (await api.admin("GET", "/audit/verify")).json().data;
const at = (seq: number) => `WHERE id = (SELECT entry_id FROM audit_place WHERE seq = ${seq})`;

describe("a business", () => {
  test("reads what was done with its keys, and what operators did to it", async () => {
    const { id, secret } = (await api.post("/webhooks", { url: "https://a.example" })).json().data;
    await api.call("PATCH", `/webhooks/${id}`, { is_active: false });
    await api.post(`/webhooks/${id}/rotate-secret`, { overlap_hours: 1 });
    await api.post(`/webhooks/${id}/rotate-secret/finish`);
    await api.call("PATCH", `/webhooks/${id}`, { is_active: true });
    await api.post(`/webhooks/${id}/recover`, { since: "2026-01-01T00:00:00Z" });
    await api.call("DELETE", `/webhooks/${id}`);
    await api.admin("PATCH", `/businesses/${api.businessId}`, { in_flight: 3 });
    const entries = await own();
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      "business.set",
      "webhook.delete",
      "webhook.recover",
      "webhook.change",
      "webhook.finish_rotation",
      "webhook.rotate_secret",
      "webhook.change",
      "webhook.register",
    ]);
    const { id: keyId } = await api.db.apiKey.findFirstOrThrow();
    expect(entries.at(-1)).toMatchObject({
      actor: "key",
      key_id: keyId,
      address: "127.0.0.1",
      subject: id,
      details: { url: "https://a.example/", outcome: "created" },
    });
    expect(entries[0]).toMatchObject({ actor: "operator", key_id: null, address: null });
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(JSON.stringify(entries)).not.toContain("ops");
    expect(entries[0]).not.toHaveProperty("actor_name");
  });

  test("is named to operators by its key", async () => {
    await api.post("/webhooks", { url: "https://a.example" });
    const key = await api.db.apiKey.findFirstOrThrow();
    const named = async () => {
      const { data } = (await api.admin("GET", "/audit?action=webhook.register")).json();
      return [data[0].actor, data[0].actor_name];
    };
    expect(await named()).toEqual([key.id, key.label ?? key.prefix]);
    await api.db.apiKey.update({ where: { id: key.id }, data: { label: "Shop server" } });
    expect(await named()).toEqual([key.id, "Shop server"]);
    await api.admin("PATCH", `/businesses/${api.businessId}`, { in_flight: 3 });
    const { data } = (await api.admin("GET", "/audit?action=business.set")).json();
    expect(data[0]).toMatchObject({ actor: "ops", actor_name: null });
  });

  test("has all its entries by its id, whatever they were done to", async () => {
    await api.post("/webhooks", { url: "https://a.example" });
    await api.admin("PATCH", `/businesses/${api.businessId}`, { in_flight: 3 });
    const { businessId, key } = await insertStranger(api);
    await api.post("/webhooks", { url: "https://b.example" }, key);
    const actionsOf = async (id: string) => {
      const { data } = (await api.admin("GET", `/audit?business_id=${id}`)).json();
      return data.map(({ action }: { action: string }) => action);
    };
    expect(await actionsOf(api.businessId)).toEqual(["business.set", "webhook.register"]);
    expect(await actionsOf(businessId)).toEqual(["webhook.register"]);
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(await actionsOf(`${businessId}&from=2026-01-01&to=${soon}`)).toHaveLength(1);
    expect(await actionsOf(`${businessId}&from=${soon}`)).toEqual([]);
    expect(await actionsOf(`${businessId}&to=2026-01-01`)).toEqual([]);
  });

  test("is named by whoever stands behind the link of its session", async () => {
    const named = async (credential: Parameters<typeof entered>[1]) => {
      const maker = await entered(api, credential);
      const { path } = (await maker.ask("POST", "/links", { role: "developer" })).json().data;
      const [, link = ""] = path.split("#");
      const one = await entered(api, { link });
      await one.ask("POST", "/api/webhooks", { url: "https://a.example/" });
      const { data } = (await api.admin("GET", "/audit?action=webhook.register")).json();
      return data[0].actor_name;
    };
    const key = await api.db.apiKey.findFirstOrThrow();
    expect(await named({ api_key: api.key })).toBe(key.label ?? key.prefix);
    expect(await named({ link: await linkOf(api, "developer") })).toBe("ops");
  });

  test("is not told which operator made the link of a session", async () => {
    const one = await entered(api, { link: await linkOf(api) });
    const [entry] = (await own()).filter(
      ({ action }: { action: string }) => action === "console.enter",
    );
    expect(entry.details).toMatchObject({ way: "link", role: "viewer" });
    expect(JSON.stringify(entry)).not.toContain("ops");
    const [session] = (await one.ask("GET", "/sessions")).json().data;
    expect(session).toMatchObject({ way: "link", name: "operator" });
    const { data } = (await api.admin("GET", "/audit")).json();
    expect(JSON.stringify(data)).toContain('"madeBy":"ops"');
  });

  test("reads no detail that is not one for its eyes, and operators read all", async () => {
    const by = { name: "root", via: "cli", address: null } as const;
    await inTransaction(api.db, (tx) =>
      record(
        tx,
        { db: api.db, by, businessId: api.businessId },
        { action: "wallet.archive", subject: null, details: { status: "x", host: "db-1.example" } },
      ),
    );
    const [entry] = await own();
    expect(entry.details).toEqual({ status: "x" });
    const [whole] = (await api.admin("GET", "/audit")).json().data;
    expect(whole.details).toEqual({ status: "x", host: "db-1.example" });
  });

  test("reads nothing of another, and nothing of what failed", async () => {
    await api.post("/webhooks", { url: "https://a.example" });
    const { key } = await insertStranger(api);
    await api.call("DELETE", "/webhooks/01900000-0000-7000-8000-000000000000", undefined, key);
    expect(await own(key)).toEqual([]);
  });
});

describe("the chain of the audit trail", () => {
  /** Five entries, made at the same moment. */
  async function fill(): Promise<void> {
    const made = Array.from({ length: 5 }, (_, index) =>
      api.admin("POST", "/businesses", { name: `Business ${index}`, verified: true }),
    );
    for (const one of await Promise.all(made)) expect(one.statusCode).toBe(201);
    await chainAudit(api.db);
  }

  test("is whole, whoever writes at once, and its head is its last entry", async () => {
    await fill();
    await api.post("/webhooks", { url: "https://a.example" });
    const before = await verified();
    expect(before).toMatchObject({ whole: true, finding: null, unchained: 1, inserted: [] });
    expect(before.head).toMatch(/^5:[0-9a-f]{64}$/);
    expect(await chainAudit(api.db)).toMatchObject({ placed: 1, refused: [] });
    expect(await verified()).toMatchObject({
      whole: true,
      unchained: 0,
      head: expect.stringMatching(/^6:/),
    });
  });

  test("keeps nobody waiting: a change is made while the chain is locked", async () => {
    await inTransaction(api.db, async (tx) => {
      await lockChain(tx);
      expect((await api.admin("POST", "/businesses", { name: "Quick" })).statusCode).toBe(201);
      // Another process gives places: this one leaves it alone.
      expect(await chainAudit(api.db)).toMatchObject({ placed: 0 });
    });
    expect(await chainAudit(api.db)).toMatchObject({ placed: 1 });
  });

  test.each([
    ["an actor", `UPDATE audit_entry SET actor = 'somebody' ${at(3)}`, "entry 3 was changed"],
    ["a time", `UPDATE audit_entry SET at = at - interval '1 day' ${at(5)}`, "entry 5 was"],
    ["a detail", `UPDATE audit_entry SET details = '{"name":"x"}' ${at(1)}`, "entry 1 was"],
    ["an address", `UPDATE audit_entry SET address = NULL ${at(2)}`, "entry 2 was changed"],
    ["an entry that is gone", `DELETE FROM audit_entry ${at(2)}`, "entry 2 is missing"],
  ])("shows %s", async (_what, sql, finding) => {
    await fill();
    await changeJournal(api.db, (tx) => tx.$executeRawUnsafe(sql));
    const verdict = await verified();
    expect(verdict.whole).toBe(false);
    expect(verdict.finding).toContain(finding);
    const { entry, fault } = verdict.broken;
    expect(verdict.finding).toBe(`entry ${entry} ${auditFaults[fault as AuditFault]}`);
  });

  test.each([
    ["without a MAC", "NULL"],
    ["with one of its own making", `repeat('a', 64)`],
  ])("refuses what SQL inserts %s, names it, and shows it as nobody's act", async (_how, mac) => {
    await fill();
    const id = "01900000-0000-7000-8000-000000000000";
    await api.db.$executeRawUnsafe(
      `INSERT INTO audit_entry (id, actor, via, action, details, business_id, mac)
       VALUES ('${id}', 'ops', 'http', 'x.y', '{}', '${api.businessId}', ${mac})`,
    );
    expect(await chainAudit(api.db)).toMatchObject({ placed: 0, refused: [id] });
    expect(await chainAudit(api.db)).toMatchObject({ placed: 0, refused: [] });
    expect(await verified()).toMatchObject({ whole: false, unchained: 0, inserted: [id] });
    const shown = (await api.admin("GET", "/audit?action=x.y")).json().data;
    expect(shown).toMatchObject([{ id, actor: "unknown", via: "sql", address: null }]);
    expect(await own()).toEqual([]);
  });

  test("shows what SQL put into its end, with a hash that is right", async () => {
    await fill();
    const id = "01900000-0000-7000-8000-000000000000";
    const who = { id, at: new Date(), actor: "ops", via: "http", action: "x.y", details: {} };
    await api.db.auditEntry.create({ data: who });
    const last = await api.db.auditPlace.findFirstOrThrow({ orderBy: { seq: "desc" } });
    const entry = { ...who, mac: null, address: null, subject: null, businessId: null };
    await api.db.auditPlace.create({ data: { ...placeAfter(last, entry), entryId: id } });
    const finding = "entry 6 was not written by Chainbell: it has no right MAC";
    expect(await verified()).toMatchObject({ whole: false, finding });
    const [shown] = (await api.admin("GET", "/audit?action=x.y")).json().data;
    expect(shown).toMatchObject({ actor: "unknown", via: "sql" });
  });
});
