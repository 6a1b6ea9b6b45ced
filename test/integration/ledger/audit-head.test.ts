import { expect, it } from "vitest";
import { recordAudit } from "../../../src/ledger/businesses/audit.ts";
import { chainAudit } from "../../../src/ledger/businesses/audit-chain.ts";
import { verifyAudit } from "../../../src/ledger/businesses/verify-audit.ts";
import { changeJournal } from "../../support/ledger/change-journal.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";

const ledger = eachTestLedger();

const by = { name: "ops", via: "cli", address: null } as const;

it.each([
  "UPDATE audit_place SET hash = ''",
  "DELETE FROM audit_place WHERE seq = 2",
  "TRUNCATE audit_place",
  "UPDATE audit_entry SET actor = 'somebody'",
  "DELETE FROM audit_entry WHERE subject = 'two'",
  // It has no place yet.
  "DELETE FROM audit_entry WHERE subject = 'three'",
  "TRUNCATE audit_entry",
])("PostgreSQL refuses the owner's %s", async (change) => {
  const record = (subject: string) =>
    recordAudit(ledger.db, by, { action: "x.y", subject, details: {} });
  await record("one");
  await record("two");
  await chainAudit(ledger.db);
  await record("three");
  await expect(ledger.db.$executeRawUnsafe(change)).rejects.toThrow("append-only");
  await chainAudit(ledger.db);
  expect(await verifyAudit(ledger.db, null)).toMatchObject({ kind: "whole", head: { seq: 3n } });
});

it("the owner may remove an entry that Chainbell did not write", async () => {
  const id = "01900000-0000-7000-8000-000000000000";
  const who = { id, at: new Date(), actor: "ops", via: "http", action: "x.y", details: {} };
  await ledger.db.auditEntry.create({ data: who });
  expect(await chainAudit(ledger.db)).toMatchObject({ refused: [id] });
  await ledger.db.$executeRaw`DELETE FROM audit_entry WHERE id = ${id}::uuid`;
  await ledger.db.$executeRaw`DELETE FROM audit_waiting WHERE entry_id = ${id}::uuid`;
  expect(await verifyAudit(ledger.db, null)).toMatchObject({ kind: "whole", inserted: [] });
});

it("a head that was written down shows what was cut off at the end, and what was written anew", async () => {
  const record = async (subject: string) => {
    await recordAudit(ledger.db, by, {
      action: "x.y",
      subject,
      details: { b: 1, a: [{ d: 1, c: "é" }] },
    });
    await chainAudit(ledger.db);
  };
  for (const subject of ["one", "two", "three"]) await record(subject);
  const verdict = await verifyAudit(ledger.db, null);
  if (verdict.kind === "broken") throw new Error(verdict.fault);
  const { head } = verdict;
  expect(await verifyAudit(ledger.db, head)).toMatchObject({ kind: "whole" });
  await changeJournal(ledger.db, (tx) => tx.$executeRaw`DELETE FROM audit_place WHERE seq = 3`);
  expect(await verifyAudit(ledger.db, null)).toMatchObject({ kind: "whole", head: { seq: 2n } });
  expect(await verifyAudit(ledger.db, head)).toMatchObject({ kind: "broken", fault: "missing" });
  await ledger.db.$executeRaw`DELETE FROM audit_entry WHERE subject = 'three'`;
  await record("another");
  expect(await verifyAudit(ledger.db, head)).toMatchObject({
    kind: "broken",
    fault: "other",
  });
});
