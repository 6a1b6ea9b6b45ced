import { expect, it } from "vitest";
import type { Administration } from "../../../src/app/operator.ts";
import type { Audited } from "../../../src/domain/business/audit.ts";
import type { Search } from "../../../src/domain/business/search.ts";
import type { Database } from "../../../src/ledger/postgres/database.ts";
import type { Tx } from "../../../src/ledger/postgres/transaction.ts";

// The compiler is what fails here, where one of these becomes possible.

type IsAssignable<From, To> = [From] extends [To] ? true : false;

it("a database is no transaction, and a transaction is no database", () => {
  const databaseAsTransaction: IsAssignable<Database, Tx> = false;
  const transactionAsDatabase: IsAssignable<Tx, Database> = false;
  expect([databaseAsTransaction, transactionAsDatabase]).toEqual([false, false]);
});

it("nothing can be asked of a database itself", () => {
  const members: IsAssignable<Extract<keyof Database, string>, never> = true;
  expect(members).toBe(true);
});

it("a change cannot call what needs a connection of its own", () => {
  type Offered = Administration["audited"];
  const search: IsAssignable<Offered, Audited<{ search: (asked: Search) => unknown }>> = false;
  const create: IsAssignable<
    Offered,
    Audited<{ createBusiness: (business: { name: string; isVerified: boolean }) => unknown }>
  > = true;
  expect([search, create]).toEqual([false, true]);
});
