import { expect, it } from "vitest";
import { auditSealing } from "../../../src/app/environment/audit-sealing.ts";
import { createReencrypt } from "../../../src/app/environment/reencrypt.ts";
import { listAudit, recordAudit } from "../../../src/ledger/businesses/audit.ts";
import { chainAudit } from "../../../src/ledger/businesses/audit-chain.ts";
import { useAuditKey } from "../../../src/ledger/businesses/audit-key.ts";
import { openAuditKey } from "../../../src/ledger/businesses/open-audit-key.ts";
import { verifyAudit } from "../../../src/ledger/businesses/verify-audit.ts";
import { keyringOf } from "../../support/keyring.ts";
import { testAuditKey } from "../../support/ledger/database.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";

const ledger = eachTestLedger();
const page = { limit: 10, afterId: null };
const by = { name: "ops", via: "cli", address: null } as const;

it("entries of before the key keep their places and actors, and none can be added to them", async () => {
  const { db } = ledger;
  try {
    const old = (index: number) => ({
      id: `01900000-0000-7000-8000-00000000000${index}`,
      at: new Date(0),
      actor: "ops",
      via: "http",
      action: `old.${index}`,
      details: {},
    });
    await db.auditEntry.createMany({ data: [old(1), old(2)] });
    const key = await openAuditKey(db, auditSealing(keyringOf(1)));
    useAuditKey(db, key);
    await recordAudit(db, by, { action: "x.y", subject: null, details: {} });
    await db.auditEntry.create({ data: old(3) });
    expect(await chainAudit(db)).toMatchObject({ placed: 1, refused: [old(3).id] });
    const inserted = { head: { seq: 3n }, inserted: [old(3).id] };
    expect(await verifyAudit(db, null)).toMatchObject({ kind: "whole", ...inserted });
    const { rows } = await listAudit(db, {}, page);
    expect(rows.map(({ action, actor }) => [action, actor.name])).toEqual([
      ["x.y", "ops"],
      ["old.3", "unknown"],
      ["old.2", "ops"],
      ["old.1", "ops"],
    ]);
  } finally {
    useAuditKey(db, testAuditKey);
  }
});

it("the key outlives the encryption key that it is kept with", async () => {
  const { db } = ledger;
  const made = await openAuditKey(db, auditSealing(keyringOf(1)));
  await createReencrypt({ db, config: { encryptionKeys: keyringOf(2, 1) } }).run(() => {});
  expect(await openAuditKey(db, auditSealing(keyringOf(2)))).toEqual(made);
  const refused = { code: "wrong_encryption_key" };
  await expect(openAuditKey(db, auditSealing(keyringOf(1)))).rejects.toMatchObject(refused);
});
