import { type App, createApp } from "./app.ts";
import { loadConfig, processEnvironment } from "./config.ts";
import { faultIn } from "./domain/fault.ts";
import { exitStatusOf } from "./exit-status.ts";
import { type OpenLedger, openLedger } from "./open-ledger.ts";
import { createLogger, type Logger } from "./runtime/logger.ts";
import { sayWhatIsHere } from "./seed-demo.ts";
import { readVersion } from "./version.ts";

/** A database that is out of reach at the start is waited for this long (CONTRACT.md section 5: then status 75). */
const databasePatienceMs = 30_000;

/** After a signal everything has ended by then, or is ended. */
const stopDeadlineMs = 20_000;

await run();

/** The daemon's process: configuration, start, signals, exit status. */
async function run(): Promise<void> {
  let log: Logger | null = null;
  try {
    const config = await loadConfig(processEnvironment(), process.cwd());
    log = createLogger({ level: config.logLevel, destination: "stdout" });
    const ledger = await openLedger(config, log, {
      needs: "daemon",
      patienceMs: databasePatienceMs,
    });
    await serve(ledger, log);
  } catch (error) {
    tell(error);
    log?.error({ error }, "daemon.failed");
    process.exitCode = exitStatusOf(error);
  }
}

async function serve(ledger: OpenLedger, log: Logger): Promise<void> {
  const { config, db, close } = ledger;
  const version = await readVersion();
  const app = createApp({ config, db, log, version });
  try {
    const stopping = firstSignal();
    await app.start();
    const url = app.apiUrl();
    log.info(
      { version, url, roles: [...config.roles], chains: config.chains.map(({ name }) => name) },
      "daemon.ready",
    );
    if (ledger.isLocalChain) await sayWhatIsHere({ ledger, url });
    log.info({ signal: await stopping }, "daemon.stopping");
  } finally {
    await stop(app, close);
  }
  log.info({}, "daemon.stopped");
}

/** Ends in order; what has not ended by the deadline is left behind, and PostgreSQL's leases take care of it. */
async function stop(app: App, close: () => Promise<void>): Promise<void> {
  const deadline = setTimeout(() => {
    process.stderr.write(`chainbell: not everything ended within ${stopDeadlineMs / 1_000} s\n`);
    process.exit(1);
  }, stopDeadlineMs);
  deadline.unref();
  process.on("SIGTERM", () => process.exit(1));
  process.on("SIGINT", () => process.exit(1));
  await app.stop();
  await close();
  clearTimeout(deadline);
}

function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
}

/** One sentence for a person; the log has the rest. */
function tell(error: unknown): void {
  const sentence =
    faultIn(error)?.message ??
    (error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.stderr.write(`chainbell: ${sentence}\n`);
}
