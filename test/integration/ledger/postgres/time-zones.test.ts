import { expect, it, onTestFinished } from "vitest";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness } from "../../../support/ledger/ledger-fixtures.ts";

const ledger = eachTestLedger();

// Half an hour from the full hour, behind and ahead of UTC; the instant lies where clocks change.
it.each(["America/St_Johns", "Europe/Paris", "Pacific/Auckland"])(
  "an instant is the same however it is written and read, where the server is in %s",
  async (zone) => {
    const id = await insertBusiness(ledger.db);
    const name = new URL(ledger.url).pathname.slice(1);
    await ledger.db.$executeRawUnsafe(`ALTER DATABASE "${name}" SET timezone TO '${zone}'`);
    const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
    onTestFinished(() => db.$disconnect());
    const at = new Date("2026-03-29T01:30:00.125Z");
    const epoch = async () =>
      (
        await db.$queryRaw<{ ms: bigint }[]>`
        SELECT (extract(epoch FROM created_at) * 1000)::bigint AS ms FROM business WHERE id = ${id}::uuid`
      )[0]?.ms;

    await db.business.update({ where: { id }, data: { createdAt: at } });
    expect(await epoch()).toBe(BigInt(at.getTime()));
    expect((await db.business.findUniqueOrThrow({ where: { id } })).createdAt).toEqual(at);
    const statements = statementsOf(db);
    const later = new Date(at.getTime() + 3_600_000);
    await statements.$executeRaw`
      UPDATE business SET created_at = ${later.toISOString()}::timestamptz WHERE id = ${id}::uuid`;
    expect(await epoch()).toBe(BigInt(later.getTime()));
    const rows = await statements.$queryRaw<{ at: Date }[]>`
      SELECT created_at AS at FROM business WHERE id = ${id}::uuid`;
    expect(rows).toEqual([{ at: later }]);
  },
);
