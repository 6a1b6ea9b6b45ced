import { type App, createApp } from "../app/app.ts";
import { type OpenLedger, openLedger } from "../app/environment/open-ledger.ts";
import {
  inspectConfig,
  loadConfig,
  processEnvironment,
  readAdminTokens,
} from "../config/load-config.ts";
import { secretsOf } from "../config/secrets.ts";
import { Fault, faultIn, kindOf } from "../domain/fault.ts";
import { createLogger, type Logger } from "../runtime/logger.ts";
import { createRedaction, type Redaction } from "../runtime/redaction.ts";
import { logDestination } from "./log-destination.ts";
import { endedByDefect, exitStatusOf } from "./process/exit-status.ts";
import {
  endWithTerminal,
  listenForSignals,
  outliveOtherSignals,
  type Signals,
} from "./process/signals.ts";
import { readVersion } from "./process/version.ts";
import { sayWhatIsHere } from "./seed-demo.ts";

/**
 * The time that the start waits for an unreachable database, in ms. Then it ends with status 75
 * (docs/contract.md#exit-status).
 */
const databasePatienceMs = 30_000;

/** After a signal, the process ends within this time at the latest. */
const stopDeadlineMs = 20_000;

await run();
// All has stopped in order. A connection that a library left open must not prevent the exit.
process.exit();

/** The daemon's process: configuration, start, signals, exit status. */
async function run(): Promise<void> {
  const signals = listenForSignals();
  const { onHangUp } = outliveOtherSignals();
  const redaction = createRedaction([]);
  let log: Logger | null = null;
  const report = (error: unknown) => {
    explain(error, redaction);
    log?.error(factsOf(error), "daemon.failed");
  };
  // Without this, the runtime would print the error with its secrets.
  process.on("uncaughtException", (error) => {
    report(error);
    process.exit(endedByDefect);
  });
  try {
    const config = await loadConfig(processEnvironment(), process.cwd());
    redaction.learn(secretsOf(config));
    const isAtTerminal = config.mode !== "production" && process.stdout.isTTY;
    if (isAtTerminal) endWithTerminal(signals);
    const destination = await logDestination(config, "stdout");
    log = createLogger({ level: config.logLevel, destination, redaction });
    const patience = { patienceMs: databasePatienceMs, stopping: signals.stopping };
    const ledger = await openLedger(config, log, { opener: "daemon", patience });
    redaction.learn(secretsOf(ledger.config));
    await serve(ledger, log, {
      ...signals,
      onHangUp,
      learn: redaction.learn,
    });
  } catch (error) {
    // A signal came during the start, so an unreachable database is no failure.
    if (signals.stopping.aborted && faultIn(error)?.code === "database_unavailable") return;
    report(error);
    process.exitCode = faultIn(error) === undefined ? endedByDefect : exitStatusOf(error);
  }
}

type FromOutside = Signals & ReturnType<typeof outliveOtherSignals> & { learn: Redaction["learn"] };

async function serve(ledger: OpenLedger, log: Logger, outside: FromOutside): Promise<void> {
  const { config } = ledger;
  const version = await readVersion();
  const app = createApp({ ...ledger, findConfigFaults, log, version });
  try {
    // The start waits for silent endpoints. A signal must not wait for them.
    await Promise.race([app.start(), outside.first]);
    if (!outside.stopping.aborted) {
      outside.onHangUp(() => void reloadTokens(app, log, outside.learn));
      const url = app.apiUrl();
      const chains = config.chains.map(({ name }) => name);
      log.info({ version, url, roles: [...config.roles], chains }, "daemon.ready");
      const { localChain } = ledger;
      if (localChain !== null)
        await sayWhatIsHere({ ledger, localChain, url, consoleUrl: app.consoleUrl() });
    }
    const ended = await Promise.race([outside.first, app.outdated]);
    if (ended instanceof Fault) throw ended;
    log.info({ signal: ended }, "daemon.stopping");
  } finally {
    await stop(app, ledger);
  }
  log.info({}, "daemon.stopped");
}

async function findConfigFaults() {
  return (await inspectConfig(processEnvironment(), process.cwd())).faults;
}

/** Reads the file of admin tokens again. If the file has a fault, the earlier tokens stay valid. */
async function reloadTokens(app: App, log: Logger, learn: Redaction["learn"]): Promise<void> {
  try {
    const tokens = await readAdminTokens(processEnvironment(), process.cwd());
    if (tokens === null) return;
    learn(tokens.map(({ token }) => token));
    app.replaceAdminTokens(tokens);
    log.info({ names: tokens.map(({ name }) => name) }, "admin_tokens.reloaded");
  } catch (error) {
    log.error(factsOf(error), "admin_tokens.refused");
  }
}

/**
 * Stops in order. After the deadline the process ends anyway, and PostgreSQL's leases cover the
 * unfinished work.
 */
async function stop(app: App, ledger: OpenLedger): Promise<void> {
  const deadline = setTimeout(() => {
    process.stderr.write(`chainbell: not everything ended within ${stopDeadlineMs / 1_000} s\n`);
    process.exit(1);
  }, stopDeadlineMs);
  await app.stop();
  await ledger.close();
  clearTimeout(deadline);
}

/**
 * The facts of an error for the log. A fault that the operator can repair is logged with its
 * message and facts. Only our own defects need a stack.
 */
function factsOf(error: unknown): object {
  const fault = faultIn(error);
  if (fault === undefined || kindOf(fault.code) === "internal") return { error };
  const { code, message, facts } = fault;
  return { code, message, facts };
}

/** Prints one sentence for a person. The log has the rest. */
function explain(error: unknown, redaction: Redaction): void {
  const isOurs = faultIn(error) === undefined;
  const sentence = redaction.text(
    faultIn(error)?.message ?? (error instanceof Error ? (error.stack ?? "") : String(error)),
  );
  process.stderr.write(`chainbell: ${isOurs ? "unexpected: " : ""}${sentence}\n`);
}
