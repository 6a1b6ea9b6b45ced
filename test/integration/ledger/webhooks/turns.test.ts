import { expect, it } from "vitest";
import { pickRecovery } from "../../../../src/ledger/deliveries/recover.ts";
import { moveWaiting } from "../../../../src/ledger/webhooks/move-waiting.ts";
import { eachTest } from "../../../support/each-test.ts";
import { registerWebhook } from "../../../support/ledger/steps.ts";
import { createSeededLedger } from "../deliveries/seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());

/** More than enough picks, by chance, for one of two businesses to have its turn. */
const picks = 25;

/** A business that replaces a webhook for which so many deliveries wait. */
async function replaceWith(waiting: number): Promise<{ replaced: string }> {
  const { businessId } = await ledger.addWebhook({ url: "https://before.example/" });
  const register = async (url: string) =>
    (await registerWebhook(ledger.db, { businessId, url, secretCiphertext: "sealed" })).webhook.id;
  const replaced = await register("https://a.example/");
  await ledger.sql(
    `WITH written AS (
      INSERT INTO notification (id, business_id, state, event, body)
      SELECT gen_random_uuid(), $1, 'confirmed', 'transaction.deposit', '{}'
      FROM generate_series(1, $3::int) RETURNING id
    )
    INSERT INTO delivery (id, notification_id, business_id, webhook_id)
    SELECT gen_random_uuid(), id, $1, $2 FROM written`,
    [businessId, replaced, waiting],
  );
  await register("https://b.example/");
  return { replaced };
}

it("a business's deliveries are moved while very many of another one are left", async () => {
  const many = await replaceWith(6_000);
  const few = await replaceWith(250);
  for (let pick = 0; pick < picks; pick += 1) await moveWaiting(ledger.db);
  const left = await ledger.sql<{ id: string }>("SELECT id FROM webhook WHERE leaves_waiting");
  expect(left.map(({ id }) => id)).toContain(many.replaced);
  expect(left.map(({ id }) => id)).not.toContain(few.replaced);
});

it("a business's recovery has every other turn, however many recoveries another one has", async () => {
  const beginOf = async ({ webhookId }: { webhookId: string }) =>
    ledger.sql(
      `INSERT INTO recovery (id, webhook_id, since, include, through, position)
       VALUES (gen_random_uuid(), $1, now(), '{held}', now(), now() - interval '1 day')`,
      [webhookId],
    );
  const few = await ledger.addWebhook({ url: "https://few.example/" });
  await beginOf(few);
  const many = await ledger.addWebhook({ url: "https://many.example/" });
  await beginOf(many);
  for (let index = 0; index < 15; index += 1)
    await beginOf(await ledger.addAdditionalWebhook(many.businessId, `https://${index}.example/`));
  let turns = 0;
  for (let pick = 0; pick < 10 * picks; pick += 1) {
    const picked = await pickRecovery(ledger.db);
    if (picked?.businessId === few.businessId) turns += 1;
  }
  // By chance: of one in two, and not of one in seventeen.
  expect(turns).toBeGreaterThan(3 * picks);
});
