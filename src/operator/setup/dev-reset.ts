import { defineCommand } from "../define-command.ts";

export type DevResetPorts = {
  /**
   * Ends what still runs, and returns what was removed.
   * @throws Fault `data_directory_in_use`; `invalid_request` in production
   */
  resetDevelopment: () => Promise<{ dataDir: string; removed: readonly string[] }>;
};

/**
 * Deletes all data of development mode: database, chain and keys, wherever they are. The
 * configuration file stays. Safe to repeat.
 * @throws Fault `data_directory_in_use` while the daemon runs; `invalid_request` in production
 */
export const devReset = defineCommand({
  noun: "dev",
  name: "reset",
  help: "Remove all data of development mode: database, local chain and keys. The next start begins anew.",
  examples: ["dev reset"],
  takes: {},
  run: async ({ resetDevelopment }: DevResetPorts, _: object) => {
    const { dataDir, removed } = await resetDevelopment();
    return { data_directory: dataDir, removed };
  },
});
