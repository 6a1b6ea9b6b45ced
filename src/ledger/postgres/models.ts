import type { PrismaClient } from "../generated/client.ts";
import { clientsOf, type Database } from "./database.ts";

/** Prisma's calls, each of one table: in a transaction, or one by one on a database. */
export type Models = Omit<PrismaClient, symbol | `$${string}`>;

/** Prisma's models on a database. Wrap each call with `reaching`. */
export function modelsOf(db: Database): Models {
  return clientsOf(db).prisma;
}
