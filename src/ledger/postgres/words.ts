import { Fault } from "../../domain/fault.ts";
import { Prisma } from "../generated/client.ts";

/**
 * Words of our own tables as literals for `IN (...)`. With a parameter PostgreSQL could not know
 * that the condition of a partial index holds.
 * @throws Fault `invariant_broken` for anything but a word
 */
export function words(list: readonly string[]): Prisma.Sql {
  const isEveryWord = list.length > 0 && list.every((word) => /^[a-z0-9_]+$/.test(word));
  if (!isEveryWord) throw new Fault("invariant_broken", "Only our own words are literals in SQL.");
  return Prisma.raw(list.map((word) => `'${word}'`).join(", "));
}
