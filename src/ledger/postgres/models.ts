import type { PrismaClient } from "../generated/client.ts";
import { clientsOf, type Database } from "./database.ts";

/** Prisma's calls of one table each: of a transaction, or of a database one by one. */
export type Models = Omit<PrismaClient, symbol | `$${string}`>;

/** Each call by itself, for `reaching`. */
export function modelsOf(db: Database): Models {
  return clientsOf(db).prisma;
}
