import type { Database, Tx } from "../../../src/ledger/postgres/database.ts";

/** Changes what is append-only, as the owner of the tables can: with its triggers switched off. */
export async function changeJournal(
  db: Database,
  change: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  await db.$transaction(async (tx) => {
    for (const table of ["ledger_entry", "ledger_seal"])
      await tx.$executeRawUnsafe(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    await change(tx);
    for (const table of ["ledger_entry", "ledger_seal"])
      await tx.$executeRawUnsafe(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  });
}
