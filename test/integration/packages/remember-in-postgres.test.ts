import { expect, test } from "vitest";
import { applyOnce } from "../../../packages/webhooks/examples/remember-in-postgres.mjs";
import { openOwnPool } from "../../support/ledger/own-pool.ts";

test("a notification that arrives ten times at once, and whose first effects fail, is applied once", async () => {
  const pool = await openOwnPool(10);
  await pool.query(
    "CREATE TABLE handled_notification (id uuid PRIMARY KEY, handled_at timestamptz)",
  );
  await pool.query("CREATE TABLE credit (amount numeric)");
  const notification = { id: "01a1fbc6-c76e-721e-8ff9-feb2f46761c3" };
  const credit = (client: { query: (sql: string) => Promise<unknown> }) =>
    client.query("INSERT INTO credit VALUES (1.5)");

  await expect(
    applyOnce(pool, notification, async (client: Parameters<typeof credit>[0]) => {
      await credit(client);
      throw new Error("the process is dying");
    }),
  ).rejects.toThrow("dying");
  const applied = await Promise.all(
    Array.from({ length: 10 }, () => applyOnce(pool, notification, credit)),
  );

  expect(applied.filter(Boolean)).toHaveLength(1);
  expect((await pool.query("SELECT sum(amount)::text AS total FROM credit")).rows).toEqual([
    { total: "1.5" },
  ]);
});
