import { afterAll, beforeAll, expect, test } from "vitest";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { prepared } from "../../../../src/ledger/postgres/statement.ts";
import { readRows } from "../../../../src/ledger/postgres/statements.ts";
import { openTestLedger, type TestLedger } from "../../../support/ledger/ledger-fixtures.ts";

let ledger: TestLedger;

beforeAll(async () => {
  ledger = await openTestLedger();
});

afterAll(() => ledger.stop());

const values = Prisma.sql`
  SELECT 9007199254740993::int8 AS big, (-1)::int8 AS negative, 7::int4 AS small, NULL::int8 AS none,
    '2026-01-31T12:00:00.007+02'::timestamptz AS thousandth, '2026-01-31T12:00:00.5Z'::timestamptz AS half,
    '1970-01-01T00:00:00Z'::timestamptz AS whole, NULL::timestamptz AS never, true AS truth,
    (2::numeric ^ 256)::text AS exact, 'é' AS text, ${"x"}::text AS given`;

test.each([
  ["that is kept", Prisma.sql`${prepared}${values}`],
  ["that is not kept", values],
])(
  "a statement %s gives the values that Prisma gives, the first time and after",
  async (_, sql) => {
    const theirs = await ledger.db.$queryRaw(values);
    for (let time = 0; time < 8; time += 1) {
      expect(await readRows(ledger.db, sql)).toEqual(theirs);
    }
  },
);

test("statements beyond those that are kept are answered all the same", async () => {
  for (let n = 0; n < 200; n += 1) {
    const one = Prisma.sql`${prepared} SELECT ${Prisma.raw(String(n))} AS n`;
    expect(await readRows(ledger.db, one)).toEqual([{ n }]);
  }
});

test("a transaction has no connections of its own to give away", async () => {
  await expect(ledger.db.$transaction((tx) => readRows(tx as never, values))).rejects.toMatchObject(
    { code: "invariant_broken" },
  );
});
