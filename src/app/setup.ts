import { checkEndpoints } from "../chain/check-endpoints.ts";
import type { ChainConfig, Config } from "../config/config.ts";
import { addChainToFile } from "../config/edit/add-chain.ts";
import type { Environment } from "../config/environment.ts";
import { configPath, inspectConfig, loadConfig } from "../config/load-config.ts";
import { Fault } from "../domain/fault.ts";
import type { Offered } from "../operator/offered.ts";
import { type ConfigCheckPorts, configCheck } from "../operator/setup/config-check.ts";
import { type ConfigInitPorts, configInit } from "../operator/setup/config-init.ts";
import { type DevResetPorts, devReset } from "../operator/setup/dev-reset.ts";
import { type MigratePorts, migrate } from "../operator/setup/migrate.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { migrateDatabase } from "./environment/open-ledger.ts";

export type SetupPorts = ConfigInitPorts & ConfigCheckPorts & DevResetPorts & MigratePorts;

/** What is done before there is a ledger, or to end one: these open none. In the order in which help shows them. */
export const setupVerbs: readonly Offered<unknown, SetupPorts>[] = [
  configInit,
  configCheck,
  migrate,
  devReset,
];

/**
 * @param env the environment of the process; relative paths are looked for in `cwd`
 * @param openLog how what is amiss is logged, once the configuration is known
 */
export function createSetup(
  env: Environment,
  cwd: string,
  openLog: (config: Config) => Logger,
): SetupPorts {
  return {
    async addChain(chain) {
      const path = configPath(env, cwd);
      return { path, isNew: await addChainToFile(path, chain) };
    },
    async checkConfig() {
      const { path, faults, config } = await inspectConfig(env, cwd);
      const checks = await Promise.all((config?.chains ?? []).map(checkChain));
      return { path, faults, endpoints: checks.flat() };
    },
    async migrate() {
      const config = await loadConfig(env, cwd);
      return migrateDatabase(config, openLog(config));
    },
    async resetDevelopment() {
      const { mode, dataDir } = await loadConfig(env, cwd);
      if (mode === "production")
        throw new Fault("invalid_request", "This is for development mode alone.");
      // Loaded only here: a production installation leaves the development dependencies out.
      const { resetData } = await import("../development/reset-data.ts");
      return { dataDir, removed: await resetData(dataDir) };
    },
  };
}

async function checkChain({ name, chainId, rpcUrls, profile, tracing }: ChainConfig) {
  const mayStandStill = profile.family === "development";
  const checks = await checkEndpoints(rpcUrls, { chainId, mayStandStill, clock });
  return checks.map((check) => {
    const isNamed = tracing === "debug" || tracing === "parity";
    const isMissing = isNamed && check.traces !== null && check.traces !== tracing;
    const missing = isMissing ? [`it has no traces by ${tracing}`] : [];
    return { chain: name, check: { ...check, faults: [...check.faults, ...missing] } };
  });
}
