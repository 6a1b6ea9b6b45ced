import type { Prisma } from "../../../src/ledger/generated/client.ts";
import type { Database } from "./database.ts";

const appendOnly = [
  "ledger_entry",
  "ledger_seal",
  "reconciliation_record",
  "audit_entry",
  "audit_place",
];

/** Changes what is append-only, as the owner of the tables can: with its triggers switched off. */
export async function changeJournal(
  db: Database,
  change: (tx: Prisma.TransactionClient) => Promise<unknown>,
): Promise<void> {
  await db.$transaction(async (tx) => {
    for (const table of appendOnly)
      await tx.$executeRawUnsafe(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    await change(tx);
    for (const table of appendOnly)
      await tx.$executeRawUnsafe(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  });
}
