import { defineCommand } from "../define-command.ts";

/** Of the command line: the schema alone, without what is in it. */
export type MigratePorts = { migrate: () => Promise<readonly string[]> };

/**
 * Brings the database to this version's schema, as a daemon does when it starts. Safe to repeat.
 */
export const migrate = defineCommand({
  noun: null,
  name: "migrate",
  help: "Bring the database to this version's schema, as the daemon does when it starts.",
  examples: ["migrate"],
  takes: {},
  run: async (ports: MigratePorts, _: object) => ({ applied: await ports.migrate() }),
});
