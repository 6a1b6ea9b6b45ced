import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { readRecovery } from "../../../src/ledger/notifications/read-recovery.ts";
import { bind } from "../../../src/ledger/postgres/bind.ts";
import { restoreCheck } from "../../../src/operator/notification/restore-check.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  insertDelivery,
  insertTransaction,
  moveChainTo,
  newWallet,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../support/ledger/steps.ts";

const ledger = eachTestLedger();

async function run(since: Date, business?: string) {
  if (restoreCheck.cli === null) throw new Error("the command line offers it");
  const ports = { ledger: bind(ledger.db, { readRecovery }), clock: { now: () => nowMs } };
  const { answer, hasFindings } = await restoreCheck.cli.run(ports, {
    since: since.toISOString(),
    business,
  });
  return { answer: JSON.parse(JSON.stringify(answer)), hasFindings };
}

const minute = 60_000;

/** Later than all that a test writes. */
const nowMs = Date.now() + 10 * minute;

test("a time that is to come is refused: nothing was written since it, whatever the backup", async () => {
  await expect(run(new Date(nowMs + minute))).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("since must be a time that is over"),
  });
});

test("after a restore it says what is announced once more, why, and that the ids are the same", async () => {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const [wallet] = await addWallets(db, { businessId, wallets: [newWallet()] });
  const walletId = wallet?.id ?? "";
  await insertTransaction(db, { walletId, status: "pending" });
  await insertTransaction(db, { walletId, status: "completed" });
  await insertDelivery(db, { businessId, webhookId: null });
  await insertDelivery(db, { businessId, webhookId: null, status: "delivered" });
  await moveChainTo(db, "ethereum", 100n);

  const { answer, hasFindings } = await run(new Date(Date.now() + minute));
  expect(hasFindings).toBe(false);
  expect(answer).toMatchObject({
    id_key: expect.stringMatching(/^[0-9a-f]{16}$/),
    same_ids: true,
    chains: [{ name: "ethereum", read_up_to: 100, pending: 1 }],
    waiting: { count: 1 },
    written_since: 0,
  });
  expect(answer.why).toEqual([
    expect.stringContaining("keeps its id"),
    "ethereum: blocks above 100 are read again, and what is in them is recorded and announced.",
    "ethereum: transactions that are pending here (1) are announced once their outcome is known.",
    expect.stringContaining("Notifications that wait here (1)"),
  ]);
  expect((await run(new Date(Date.now() - minute))).answer.written_since).toBe(2);
});

test("of one business it says what is announced to that one", async () => {
  const { db } = ledger;
  const [quietOne, busy] = [await insertBusiness(db), await insertBusiness(db)];
  const [wallet] = await addWallets(db, { businessId: busy, wallets: [newWallet()] });
  await insertTransaction(db, { walletId: wallet?.id ?? "", status: "pending" });
  await insertDelivery(db, { businessId: busy, webhookId: null });
  await moveChainTo(db, "ethereum", 100n);

  const since = new Date(Date.now() - minute);
  const chainWith = (pending: number) => [{ name: "ethereum", read_up_to: 100, pending }];
  expect((await run(since, busy)).answer).toMatchObject({
    business_id: busy,
    chains: chainWith(1),
    waiting: { count: 1 },
    written_since: 1,
  });
  const { answer } = await run(since, quietOne);
  expect(answer).toMatchObject({
    business_id: quietOne,
    chains: chainWith(0),
    written_since: 0,
    waiting: { count: 0, oldest_at: null },
  });
  expect(answer.why).toHaveLength(2);
  await expect(run(since, randomUUID())).rejects.toMatchObject({ code: "business_not_found" });
});

test("of a time before the installation was made it says that they are the same", async () => {
  await insertBusiness(ledger.db);
  const { createdAt } = await ledger.db.business.findFirstOrThrow({
    orderBy: { createdAt: "asc" },
  });
  await ledger.db.installation.updateMany({ data: { idKeyMadeAt: createdAt } });
  const { answer, hasFindings } = await run(new Date(createdAt.getTime() - minute));
  expect(hasFindings).toBe(false);
  expect(answer.same_ids).toBe(true);
});

test("of a time before ids were derived it says that they are others, and the exit status shows it", async () => {
  await insertBusiness(ledger.db);
  const idKeyMadeAt = new Date(Date.now() + minute);
  await ledger.db.installation.updateMany({ data: { idKeyMadeAt } });
  const { answer, hasFindings } = await run(new Date(Date.now() - minute));
  expect(hasFindings).toBe(true);
  expect(answer.same_ids).toBe(false);
  expect(answer.why[0]).toContain("under another id");
});
