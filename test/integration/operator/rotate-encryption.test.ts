import { expect, test } from "vitest";
import { createReencrypt } from "../../../src/app/environment/reencrypt.ts";
import { answerBoundTo } from "../../../src/domain/business/idempotency.ts";
import { idAt } from "../../../src/domain/id.ts";
import {
  decryptSecret,
  encryptSecret,
  type Keyring,
  keyCheckOf,
} from "../../../src/domain/webhook/secret.ts";
import { checkKey } from "../../../src/ledger/installation/key-check.ts";
import { keyringOf } from "../../support/keyring.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";
import { insertBusiness } from "../../support/ledger/ledger-fixtures.ts";
import { waitFor } from "../../support/wait-for.ts";

const ledger = eachTestLedger();

/** More than two batches. */
const webhooks = 230;

const [old, both, anew] = [keyringOf(1), keyringOf(2, 1), keyringOf(2)];

/** As a daemon that starts with these keys. */
function start(keyring: Keyring): Promise<void> {
  const [first, ...others] = keyring;
  const checks = [keyCheckOf(first), ...others.map(keyCheckOf)] as const;
  return checkKey(ledger.db, { checks, keeps: true, opens: () => {} });
}

async function insertWebhooks(businessId: string, keyring: Keyring, count: number): Promise<void> {
  const seal = (plain: string) => encryptSecret(keyring, plain, businessId);
  const data = Array.from({ length: count }, (_, index) => ({
    id: idAt(Date.now(), index),
    businessId,
    url: "https://a.example/",
    deletedAt: new Date(),
    secretCiphertext: seal(`secret ${index}`),
    headersCiphertext: index % 2 === 0 ? seal(`headers ${index}`) : null,
  }));
  await ledger.db.webhook.createMany({ data });
}

async function secretsWith(keyring: Keyring): Promise<string[]> {
  const rows = await ledger.db.webhook.findMany({ orderBy: { id: "asc" } });
  return rows.flatMap(({ businessId, secretCiphertext, headersCiphertext }) =>
    [secretCiphertext, headersCiphertext].flatMap((stored) =>
      stored === null ? [] : [decryptSecret(keyring, stored, businessId)],
    ),
  );
}

const run = (keyring: Keyring, reads: number[] = []) =>
  createReencrypt({ db: ledger.db, config: { encryptionKeys: keyring } }).run((read) =>
    reads.push(read),
  );

test("everything that is stored is encrypted with the first key, and then the others are not needed", async () => {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  await start(old);
  await insertWebhooks(businessId, old, webhooks);
  const answered = { owner: businessId, key: "k", requestHash: "h", claim: idAt(Date.now()) };
  const text = encryptSecret(old, "an answer", answerBoundTo(businessId));
  await db.idempotencyKey.create({
    data: { ...answered, claimedUntil: new Date(), status: 200, answerCiphertext: text },
  });
  const before = await secretsWith(old);

  await start(both);
  await expect(start(old)).rejects.toMatchObject({ code: "wrong_encryption_key" });
  await expect(start(anew)).rejects.toMatchObject({ code: "wrong_encryption_key" });
  const reads: number[] = [];
  expect(await run(both, reads)).toEqual({ read: 231, written: 231, unreadable: 0 });
  expect(reads).toEqual([...reads].sort((a, b) => a - b));
  expect(await secretsWith(anew)).toEqual(before);
  const { answerCiphertext } = await db.idempotencyKey.findFirstOrThrow();
  expect(decryptSecret(anew, answerCiphertext ?? "", answerBoundTo(businessId))).toBe("an answer");

  await start(anew);
  await expect(start(old)).rejects.toMatchObject({ code: "wrong_encryption_key" });
  expect(await run(anew)).toEqual({ read: 231, written: 0, unreadable: 0 });
});

test("what no key reads stays as it is, is counted, and no key is forgotten", async () => {
  const businessId = await insertBusiness(ledger.db);
  await start(old);
  await insertWebhooks(businessId, old, 1);
  await start(both);
  await insertWebhooks(businessId, keyringOf(3), 1);
  const stored = () => ledger.db.webhook.findMany({ orderBy: { id: "desc" }, take: 1 });
  const before = await stored();
  expect(await run(both)).toEqual({ read: 2, written: 1, unreadable: 1 });
  expect(await stored()).toEqual(before);
  await expect(start(anew)).rejects.toMatchObject({ code: "wrong_encryption_key" });
});

test("a key that a daemon first uses during the rotation is not forgotten", async () => {
  const businessId = await insertBusiness(ledger.db);
  await start(both);
  await insertWebhooks(businessId, both, 1);
  const { rotation } = await ledger.db.$transaction(async (tx) => {
    await tx.$executeRaw`LOCK TABLE signing_key`;
    const reads: number[] = [];
    const begun = { rotation: run(both, reads) };
    await waitFor(() => reads.length > 0, { what: "the first step", timeoutMs: 10_000 });
    await start(keyringOf(3, 2, 1));
    return begun;
  });
  expect(await rotation).toMatchObject({ unreadable: 0 });
  await expect(start(anew)).rejects.toMatchObject({ code: "wrong_encryption_key" });
  await start(keyringOf(3, 2));
});

test("a rotation that was killed has said that the first key is in use", async () => {
  const businessId = await insertBusiness(ledger.db);
  await start(old);
  await insertWebhooks(businessId, old, 1);
  const killed = createReencrypt({ db: ledger.db, config: { encryptionKeys: both } });
  const work = killed.run(() => {
    throw new Error("Killed.");
  });
  await expect(work).rejects.toThrow("Killed.");
  await expect(start(old)).rejects.toMatchObject({ code: "wrong_encryption_key" });
});
