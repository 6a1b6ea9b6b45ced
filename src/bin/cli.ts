import { processEnvironment } from "../config/load-config.ts";
import { runCommandLine } from "./cli/command-line.ts";
import { showProgress } from "./cli/progress.ts";
import { logDestination } from "./log-destination.ts";
import { endWithReader } from "./process/signals.ts";

// The operator's program: `npm run -s chainbell -- <command> [--json]`. Standard output has only
// the answer.

endWithReader();
process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: processEnvironment(),
  folder: process.cwd(),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  logTo: (config) => logDestination(config, "stderr"),
  showProgress,
});
