import { describe, expect, test } from "vitest";
import { entered, linkOf } from "../../support/api/browser.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";

const api = eachTestApi();

const own = async (key?: string) => (await api.get("/audit", key)).json().data;
const verified = async () => (await api.admin("GET", "/audit/verify")).json().data;

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
  }

  test("is whole, whoever writes at once, and its head is its last entry", async () => {
    await fill();
    await api.post("/webhooks", { url: "https://a.example" });
    const { whole, head, finding, unchained } = await verified();
    expect({ whole, finding, unchained }).toEqual({ whole: true, finding: null, unchained: 0 });
    expect(head).toMatch(/^6:[0-9a-f]{64}$/);
  });

  test.each([
    ["an actor", "UPDATE audit_entry SET actor = 'somebody' WHERE seq = 3", "entry 3 was changed"],
    ["a time", "UPDATE audit_entry SET at = at - interval '1 day' WHERE seq = 5", "entry 5 was"],
    ["a detail", `UPDATE audit_entry SET details = '{"name":"x"}' WHERE seq = 1`, "entry 1 was"],
    ["an address", "UPDATE audit_entry SET address = NULL WHERE seq = 2", "entry 2 was changed"],
    ["an entry that is gone", "DELETE FROM audit_entry WHERE seq = 2", "entry 2 is missing"],
  ])("shows %s", async (_what, sql, finding) => {
    await fill();
    await api.db.$executeRawUnsafe(sql);
    const verdict = await verified();
    expect(verdict.whole).toBe(false);
    expect(verdict.finding).toContain(finding);
  });

  test("counts what a version without it has written", async () => {
    await fill();
    await api.db.$executeRawUnsafe(
      "INSERT INTO audit_entry (id, actor, via, action, details) VALUES (gen_random_uuid(), 'ops', 'http', 'x.y', '{}')",
    );
    expect(await verified()).toMatchObject({ whole: true, unchained: 1 });
  });
});
