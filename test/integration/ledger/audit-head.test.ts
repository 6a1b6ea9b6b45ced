import { expect, it } from "vitest";
import { recordAudit } from "../../../src/ledger/businesses/audit.ts";
import { chainAudit } from "../../../src/ledger/businesses/audit-chain.ts";
import { verifyAudit } from "../../../src/ledger/businesses/verify-audit.ts";
import { changeJournal } from "../../support/ledger/change-journal.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";

const ledger = eachTestLedger();

it.each([
  "UPDATE audit_place SET hash = ''",
  "DELETE FROM audit_place WHERE seq = 2",
  "TRUNCATE audit_place",
])("PostgreSQL refuses the owner's %s", async (change) => {
  const by = { name: "ops", via: "cli", address: null } as const;
  for (const subject of ["one", "two"])
    await recordAudit(ledger.db, by, { action: "x.y", subject, details: {} });
  await chainAudit(ledger.db);
  await expect(ledger.db.$executeRawUnsafe(change)).rejects.toThrow("append-only");
  expect(await verifyAudit(ledger.db, null)).toMatchObject({ kind: "whole", head: { seq: 2n } });
});

it("a head that was written down shows what was cut off at the end, and what was written anew", async () => {
  const by = { name: "ops", via: "cli", address: null } as const;
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
  if (verdict.kind === "broken") throw new Error(verdict.what);
  const { head } = verdict;
  expect(await verifyAudit(ledger.db, head)).toMatchObject({ kind: "whole" });
  await changeJournal(ledger.db, (tx) => tx.$executeRaw`DELETE FROM audit_place WHERE seq = 3`);
  expect(await verifyAudit(ledger.db, null)).toMatchObject({ kind: "whole", head: { seq: 2n } });
  expect(await verifyAudit(ledger.db, head)).toMatchObject({ kind: "broken", what: "is missing" });
  await ledger.db.$executeRaw`DELETE FROM audit_entry WHERE subject = 'three'`;
  await record("another");
  expect(await verifyAudit(ledger.db, head)).toMatchObject({
    kind: "broken",
    what: "is not the one that was written down",
  });
});
