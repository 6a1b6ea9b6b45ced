import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

/** A fault in the code that moves money, which a test and the simulation must find. */
const mutant = z.strictObject({
  id: z.string(),
  /** What goes wrong with it, for people. */
  what: z.string(),
  file: z.string(),
  /** Stands there exactly once. */
  find: z.string(),
  replace: z.string(),
  /** The test that is about it: the file, and the title or a part of it. */
  test: z.strictObject({ file: z.string(), title: z.string() }),
  /**
   * A seed of the simulation that finds it; null: it has to be looked for. In words: why no seed
   * can.
   */
  simulation: z.union([z.int(), z.string(), z.null()]),
});

export type Mutant = z.output<typeof mutant>;

/**
 * The faults in what reads blocks, in what decides what is written, in what writes it, and in what
 * stands against attacks.
 */
export const tables = ["chain.yaml", "watcher.yaml", "ledger.yaml", "attacks.yaml"];

/** Every fault of the tables beside this file. @throws where a table is malformed */
export function readMutants(folder: string): Mutant[] {
  const read = (table: string) => parse(readFileSync(join(folder, table), "utf8"));
  return tables.flatMap((table) => z.array(mutant).parse(read(table)));
}
