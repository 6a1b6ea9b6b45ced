import { faultIn } from "../../domain/fault.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { generationText, requireGeneration } from "../postgres/generation.ts";
import { ask } from "../postgres/shared-statement.ts";

/**
 * Checks in one read whether a release of a later generation has migrated the database since this
 * process began.
 * @returns the fault with which this process must end; null: no such release did
 * @throws Fault `database_unavailable`
 */
export async function findLaterGeneration(db: Database) {
  try {
    await requireGeneration(readGeneration(db));
    return null;
  } catch (error) {
    const fault = faultIn(error);
    if (fault?.code === "database_too_new") return fault;
    throw error;
  }
}

async function readGeneration(db: Database): Promise<number> {
  const found = await ask(db, { name: "generation", answer: () => Prisma.raw(generationText) });
  return typeof found === "number" ? found : 1;
}
