import type { Config } from "../../config/config.ts";
import { addChainToFile } from "../../config/edit/add-chain.ts";
import type { Environment } from "../../config/environment.ts";
import { configPath, inspectConfig, loadConfig } from "../../config/load-config.ts";
import { secretsOf } from "../../config/secrets.ts";
import { Fault } from "../../domain/fault.ts";
import type { ByteFiles } from "../../operator/byte-files.ts";
import { type CloseVerifyPorts, closeVerify } from "../../operator/close/verify.ts";
import { type AlertTestPorts, alertTest } from "../../operator/setup/alert-test.ts";
import { type BlockRecordPorts, blockRecord } from "../../operator/setup/block-record.ts";
import { type BlockVerifyPorts, blockVerify } from "../../operator/setup/block-verify.ts";
import { type ConfigCheckPorts, configCheck } from "../../operator/setup/config-check.ts";
import { type ConfigInitPorts, configInit } from "../../operator/setup/config-init.ts";
import { type DevResetPorts, devReset } from "../../operator/setup/dev-reset.ts";
import { type DoctorPorts, doctor } from "../../operator/setup/doctor.ts";
import { type MigratePorts, migrate } from "../../operator/setup/migrate.ts";
import { type StatementVerifyPorts, statementVerify } from "../../operator/statement/verify.ts";
import type { VerbBindings } from "../../operator/verb-bindings.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createRedaction } from "../../runtime/redaction.ts";
import { openChannels } from "../alerts/channels.ts";
import { tryChannels } from "../alerts/try-channels.ts";
import { migrateDatabase } from "../environment/open-ledger.ts";
import { checkChain } from "./check-chain.ts";

export type SetupPorts = ConfigInitPorts &
  ConfigCheckPorts &
  DevResetPorts &
  MigratePorts &
  DoctorPorts &
  BlockRecordPorts &
  BlockVerifyPorts &
  AlertTestPorts;

/** The ports of setup verbs, with the tools that only the command line has. */
export type SetupVerbPorts = SetupPorts & CloseVerifyPorts & StatementVerifyPorts;

/**
 * The verbs that open no ledger, because they run before there is one or delete it. Help shows them
 * in this order.
 */
export const setupVerbs: readonly VerbBindings<unknown, SetupVerbPorts>[] = [
  configInit,
  configCheck,
  doctor,
  blockRecord,
  blockVerify,
  closeVerify,
  statementVerify,
  alertTest,
  migrate,
  devReset,
];

/**
 * @param env the environment of the process
 * @param cwd the directory that relative paths start from
 * @param files the files of recorded blocks
 * @param openLog opens the log for problems, once the configuration is known
 */
export function createSetup(
  env: Environment,
  cwd: string,
  files: ByteFiles,
  openLog: (config: Config) => Logger | Promise<Logger>,
): SetupPorts {
  const readChains = async () => (await inspectConfig(env, cwd)).config?.chains ?? [];
  // Loaded only here, as is `examine`, so that no other verb waits for their libraries.
  const openBlockTools = async () =>
    (await import("./block-tools.ts")).createBlockTools(readChains, files);
  return {
    recordBlock: async (asked) => (await openBlockTools()).recordBlock(asked),
    verifyBlock: async (path) => (await openBlockTools()).verifyBlock(path),

    async addChain(chain) {
      const path = configPath(env, cwd);
      return { path, isNew: await addChainToFile(path, chain) };
    },
    async checkConfig() {
      const { path, isThere, faults, config } = await inspectConfig(env, cwd);
      const checks = await Promise.all(
        (config?.chains ?? []).map((chain) => checkChain(chain, { asksRate: true })),
      );
      return { path: isThere ? path : null, faults, endpoints: checks.flat() };
    },
    async examine() {
      const inspected = await inspectConfig(env, cwd);
      const { examine } = await import("./examine.ts");
      return examine({ ...inspected, openLog });
    },
    async tryAlerts() {
      const config = await loadConfig(env, cwd);
      if (config.alerts === null)
        throw new Fault(
          "invalid_configuration",
          "The file names no channel in `alerts`. Name slack, webhook or smtp there, with its URL.",
        );
      const channels = openChannels(config.alerts, "Chainbell");
      return tryChannels(channels, createRedaction(secretsOf(config)));
    },
    async migrate() {
      const config = await loadConfig(env, cwd);
      return migrateDatabase(config, await openLog(config));
    },
    async resetDevelopment() {
      const { mode, dataDir } = await loadConfig(env, cwd);
      if (mode === "production")
        throw new Fault(
          "invalid_request",
          "This works in development mode alone: leave out DATABASE_URL.",
        );
      // Loaded only here: a production installation leaves the development dependencies out.
      const { resetData } = await import("../../development/reset-data.ts");
      return { dataDir, removed: await resetData(dataDir) };
    },
  };
}
