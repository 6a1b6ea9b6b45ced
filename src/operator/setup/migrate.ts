import { defineCommand } from "../define-command.ts";

/** Migrates the schema, and does not open the ledger. */
export type MigratePorts = { migrate: () => Promise<readonly string[]> };

/**
 * Migrates the database to this version's schema, as a daemon does at its start. Safe to repeat.
 */
export const migrate = defineCommand({
  noun: null,
  name: "migrate",
  help: "Bring the database to this version's schema, as the daemon does when it starts.",
  examples: ["migrate"],
  takes: {},
  run: async (ports: MigratePorts, _: object) => ({ applied: await ports.migrate() }),
});
