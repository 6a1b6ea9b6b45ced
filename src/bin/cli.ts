import { userInfo } from "node:os";
import { createCatchUpNow, createFollowHistory } from "../app/catch-up-now.ts";
import { createCompareChain, createOpenEvidence } from "../app/compare-chain.ts";
import { createOpenLocalChain } from "../app/environment/local-chain.ts";
import { openLedger } from "../app/environment/open-ledger.ts";
import { openMetrics } from "../app/open-metrics.ts";
import { createSetup } from "../app/setup.ts";
import { createWebhookTrials } from "../app/webhook-trials.ts";
import { loadConfig, processEnvironment } from "../config/load-config.ts";
import { secretsOf } from "../config/secrets.ts";
import { createLogger } from "../runtime/logger.ts";
import { createRedaction } from "../runtime/redaction.ts";
import { showProgress } from "./cli/progress.ts";
import { runCli } from "./cli/run-cli.ts";
import { listenForSignals } from "./process/signals.ts";
import { readVersion } from "./process/version.ts";

// The operator's program: `npm run -s chainbell -- <command> [--json]`. Only the answer goes to standard output.

const redaction = createRedaction([]);

process.exitCode = await runCli(process.argv.slice(2), {
  openLedger: async () => {
    const config = await loadConfig(processEnvironment(), process.cwd());
    redaction.learn(secretsOf(config));
    // Whoever types a command reads its answer: of the rest, only what is amiss.
    const level = config.logLevel === "info" ? "warn" : config.logLevel;
    const log = createLogger({ level, destination: "stderr", redaction });
    // A person can try again; a script reads the exit status.
    const ledger = await openLedger(config, log, { needs: "database", patience: null });
    redaction.learn(secretsOf(ledger.config));
    const metrics = openMetrics(ledger);
    return {
      ...ledger,
      catchUp: createCatchUpNow(ledger, log),
      followHistory: createFollowHistory(ledger, log),
      openLocalChain: createOpenLocalChain(ledger),
      ...createWebhookTrials(ledger, { version: await readVersion(), signals: listenForSignals }),
      openEvidence: createOpenEvidence(ledger.config, log),
      compareChain: createCompareChain({ ...ledger, log, metrics }),
    };
  },
  setup: createSetup(processEnvironment(), process.cwd()),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  user: userName(),
  redact: redaction.text,
  showProgress,
});

/** Whoever the system says runs this; a container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
