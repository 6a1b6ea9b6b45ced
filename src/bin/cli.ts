import { userInfo } from "node:os";
import { openLedger } from "../app/environment/open-ledger.ts";
import { createSetup } from "../app/setup/setup.ts";
import type { Config } from "../config/config.ts";
import { loadConfig, processEnvironment } from "../config/load-config.ts";
import { secretsOf } from "../config/secrets.ts";
import { createLogger, type Logger } from "../runtime/logger.ts";
import { createRedaction } from "../runtime/redaction.ts";
import { byteFiles } from "./cli/byte-files.ts";
import { createCommandLineTools } from "./cli/command-line-tools.ts";
import { showProgress } from "./cli/progress.ts";
import { runCli } from "./cli/run-cli.ts";
import { logDestination } from "./log-destination.ts";
import { listenForSignals } from "./process/signals.ts";
import { readVersion } from "./process/version.ts";

// The operator's program: `npm run -s chainbell -- <command> [--json]`. Standard output has only
// the answer.

const redaction = createRedaction([]);

process.exitCode = await runCli(process.argv.slice(2), {
  openLedger: async () => {
    const config = await loadConfig(processEnvironment(), process.cwd());
    const log = await openLog(config);
    // Does not wait for the database: a person can try again, and a script reads the exit status.
    const ledger = await openLedger(config, log, { opener: "verb", patience: null });
    redaction.learn(secretsOf(ledger.config));
    const version = await readVersion();
    const tools = createCommandLineTools(ledger, log, { version, signals: listenForSignals });
    return { ...ledger, ...tools };
  },
  setup: createSetup(processEnvironment(), process.cwd(), byteFiles, openLog),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  user: userName(),
  redact: redaction.text,
  showProgress,
});

/**
 * Opens a log of warnings and errors for the level `info`, because the user of a command reads its
 * answer.
 */
async function openLog(config: Config): Promise<Logger> {
  redaction.learn(secretsOf(config));
  const level = config.logLevel === "info" ? "warn" : config.logLevel;
  return createLogger({ level, destination: await logDestination(config, "stderr"), redaction });
}

/** The name of the system user who runs this. In a container, a user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
