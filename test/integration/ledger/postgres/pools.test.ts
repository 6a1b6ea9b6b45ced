import { expect, it, onTestFinished } from "vitest";
import { openPool } from "../../../../src/app/environment/pools.ts";
import { modelsOf } from "../../../../src/ledger/postgres/models.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { onBehalfOf } from "../../../../src/runtime/on-behalf.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();

it("one business's work holds two connections of the API, and another one finds the others free", async () => {
  const of = { db: ledger.db, config: { databaseUrl: ledger.url } };
  const { db, service } = openPool(of, "api");
  onTestFinished(() => service.stop());
  const waiting = async () => {
    const [row] = await statementsOf(ledger.db).$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    return row?.count ?? 0;
  };
  const ask = () => [
    statementsOf(db).$queryRaw`SELECT count(*) FROM chain`,
    modelsOf(db).chain.count(),
    inTransaction(db, (tx) => tx.chain.count()),
  ];
  const asked = await inTransaction(ledger.db, async (tx) => {
    await tx.$executeRaw`LOCK TABLE chain`;
    const ofOne = Array.from({ length: 10 }, () => onBehalfOf("one", ask)).flat();
    await waitFor(async () => (await waiting()) === 2, {
      what: "two that wait for the lock",
      timeoutMs: 10_000,
    });
    await onBehalfOf("another", () => statementsOf(db).$queryRaw`SELECT 1`);
    await onBehalfOf("another", () => modelsOf(db).business.count());
    expect(await waiting()).toBe(2);
    return ofOne;
  });
  expect(await Promise.all(asked)).toHaveLength(30);
});
