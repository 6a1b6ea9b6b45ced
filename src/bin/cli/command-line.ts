import { userInfo } from "node:os";
import { openLedger } from "../../app/environment/open-ledger.ts";
import { createSetup } from "../../app/setup/setup.ts";
import type { Config } from "../../config/config.ts";
import type { Environment } from "../../config/environment.ts";
import { loadConfig } from "../../config/load-config.ts";
import { secretsOf } from "../../config/secrets.ts";
import { createLogger, type LogDestination, type Logger } from "../../runtime/logger.ts";
import { createRedaction } from "../../runtime/redaction.ts";
import { listenForSignals } from "../process/signals.ts";
import { readVersion } from "../process/version.ts";
import { byteFiles } from "./byte-files.ts";
import { createCommandLineTools } from "./command-line-tools.ts";
import { type CliDeps, runCli } from "./run-cli.ts";

/** The surroundings of a command line. */
export type Surroundings = Pick<CliDeps, "stdout" | "stderr" | "showProgress"> & {
  environment: Environment;
  /** The folder that relative paths start from. */
  folder: string;
  /** Where warnings and errors are logged. */
  logTo: (config: Config) => Promise<LogDestination>;
};

/** Runs one command line as the operator's program does, and returns the exit status. */
export function runCommandLine(
  args: readonly string[],
  { environment, folder, logTo, ...outputs }: Surroundings,
): Promise<number> {
  const redaction = createRedaction([]);
  /** The user of a command reads its answer, so the level `info` logs only warnings and errors. */
  async function openLog(config: Config): Promise<Logger> {
    redaction.learn(secretsOf(config));
    const level = config.logLevel === "info" ? "warn" : config.logLevel;
    return createLogger({ level, destination: await logTo(config), redaction });
  }
  return runCli(args, {
    ...outputs,
    openLedger: async () => {
      const config = await loadConfig(environment, folder);
      const log = await openLog(config);
      // Does not wait for the database: a person can try again, and a script reads the exit status.
      const ledger = await openLedger(config, log, { opener: "verb", patience: null });
      redaction.learn(secretsOf(ledger.config));
      const version = await readVersion();
      const tools = createCommandLineTools(ledger, log, { version, signals: listenForSignals });
      return { ...ledger, ...tools };
    },
    setup: createSetup(environment, folder, byteFiles, openLog),
    user: userName(),
    redact: redaction.text,
  });
}

/** The name of the system user who runs this. In a container, a user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
