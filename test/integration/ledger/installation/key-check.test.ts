import { expect, it } from "vitest";
import { Fault } from "../../../../src/domain/fault.ts";
import { checkKey } from "../../../../src/ledger/installation/key-check.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness } from "../../../support/ledger/ledger-fixtures.ts";
import { registerWebhook } from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();
const opens = () => {};
const wrong = { code: "wrong_encryption_key" };

it("the first key is the database's, and another is refused from then on", async () => {
  await Promise.all(
    [1, 2, 3].map(() => checkKey(ledger.db, { checks: ["right"], keeps: true, opens })),
  );
  await expect(
    checkKey(ledger.db, { checks: ["another"], keeps: true, opens }),
  ).rejects.toMatchObject(wrong);
  await checkKey(ledger.db, { checks: ["right"], keeps: true, opens });
});

it("a database that has secrets already takes only a key that reads them", async () => {
  const businessId = await insertBusiness(ledger.db);
  const secretCiphertext = "sealed";
  await registerWebhook(ledger.db, { businessId, url: "https://a.example/", secretCiphertext });
  const asked: string[][] = [];
  const fails = (...stored: string[]) => {
    asked.push(stored);
    throw new Fault("wrong_encryption_key", "It cannot be read.");
  };
  await expect(
    checkKey(ledger.db, { checks: ["another"], keeps: true, opens: fails }),
  ).rejects.toMatchObject(wrong);
  expect(asked).toEqual([["sealed", businessId]]);
  await checkKey(ledger.db, { checks: ["right"], keeps: true, opens });
});
