import { expect, onTestFinished, test } from "vitest";
import { moveWaiting } from "../../../src/ledger/webhooks/move-waiting.ts";
import { createReassigner } from "../../../src/outbox/reassigner.ts";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";
import { insertBusiness, insertDelivery } from "../../support/ledger/ledger-fixtures.ts";
import { registerWebhook } from "../../support/ledger/steps.ts";
import { quiet } from "../../support/quiet.ts";
import { waitFor } from "../../support/wait-for.ts";

const ledger = eachTestLedger();

/** More than two steps of either loop. */
const waiting = 450;
const atOnce = 25;

test("two processes move all that waits for a webhook that was replaced, and go on after a failure", async () => {
  const businessId = await insertBusiness(ledger.db);
  const register = (url: string) =>
    registerWebhook(ledger.db, { businessId, url, secretCiphertext: `sealed for ${url}` });
  const { webhook: first } = await register("https://a.example/");
  const mine = { businessId, webhookId: first.id };
  // Some at a time: who waits for a connection for five seconds is refused one.
  for (let inserted = 0; inserted < waiting; inserted += atOnce)
    await Promise.all(Array.from({ length: atOnce }, () => insertDelivery(ledger.db, mine)));
  const { webhook: current } = await register("https://b.example/");
  const atCurrent = () => ledger.db.delivery.count({ where: { webhookId: current.id } });
  expect(await atCurrent()).toBeLessThan(waiting);

  const failures: unknown[] = [];
  const log = { ...quiet, warn: (facts: object) => void failures.push(facts) };
  const move = () => moveWaiting(ledger.db);
  const recoverSome = async () => null;
  const reassigners = [0, 1].map((which) => {
    let steps = 0;
    const failing = async () => {
      steps += 1;
      if (which === 0 && steps === 1) throw new Error("no database");
      return move();
    };
    const others = { recoverSome, arrangeWaiting: async () => false };
    return createReassigner({ ledger: { moveWaiting: failing, ...others }, clock, log });
  });
  onTestFinished(
    async () => void (await Promise.all(reassigners.map((reassigner) => reassigner.stop()))),
  );
  await Promise.all(reassigners.map((reassigner) => reassigner.start()));

  const all = { what: "everything to be moved", timeoutMs: 60_000 };
  await waitFor(async () => (await atCurrent()) === waiting && failures.length === 1, all);
  // Nothing was left behind, and there is nothing for the loops to do.
  const left = { where: { leavesWaiting: true } };
  await waitFor(async () => (await ledger.db.webhook.count(left)) === 0, all);
  expect(await move()).toBeNull();
  expect(failures).toEqual([expect.objectContaining({ failures: 1 })]);
  expect(reassigners.map((reassigner) => reassigner.trouble())).toEqual([null, null]);
});
