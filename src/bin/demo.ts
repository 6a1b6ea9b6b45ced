import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../app/app.ts";
import { openLedger } from "../app/environment/open-ledger.ts";
import { loadConfig } from "../config/load-config.ts";
import { secretsOf } from "../config/secrets.ts";
import { removeEmbeddedPostgres } from "../development/postgres/embedded-postgres.ts";
import { faultIn } from "../domain/fault.ts";
import { createLogger } from "../runtime/logger.ts";
import { createRedaction } from "../runtime/redaction.ts";
import { travel } from "./demo/journey.ts";
import { startReceiver } from "./demo/receiver.ts";
import { exitStatusOf } from "./process/exit-status.ts";
import { readVersion } from "./process/version.ts";

const say = (line: string) => process.stdout.write(`${line}\n`);

await run();
process.exit();

/** `npm run demo`: the whole journey in development mode, on free ports with fresh data, and then nothing is left. */
async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "chainbell-demo-"));
  try {
    await demonstrate(dataDir);
    say("Done: everything arrived, every signature was verified, nothing is left running.");
  } catch (error) {
    process.stderr.write(
      `chainbell: the demo failed: ${faultIn(error)?.message ?? (error instanceof Error ? error.stack : String(error))}\n`,
    );
    process.exitCode = exitStatusOf(error);
  } finally {
    await removeEmbeddedPostgres(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function demonstrate(dataDir: string): Promise<void> {
  const startedAtMs = Date.now();
  const adminToken = randomBytes(24).toString("hex");
  const environment = {
    CHAINBELL_DATA_DIR: dataDir,
    CHAINBELL_ADMIN_TOKENS: `demo:${adminToken}`,
    PORT: "0",
  };
  // The folder holds no configuration file, so the demo is the same wherever it is run.
  const config = await loadConfig({ ...environment, LOG_LEVEL: "warn" }, dataDir);
  const log = createLogger({
    level: config.logLevel,
    destination: "stderr",
    redaction: createRedaction(secretsOf(config)),
  });
  const ledger = await openLedger(config, log, {
    opener: "daemon",
    patience: null,
  });
  const app = createApp({ ...ledger, log, version: await readVersion() });
  const receiver = await startReceiver();
  try {
    await app.start();
    const [chain] = ledger.config.chains;
    const [token] = chain?.assets ?? [];
    const [rpcUrl] = chain?.rpcUrls ?? [];
    const apiUrl = app.apiUrl();
    if (chain === undefined || token === undefined || rpcUrl === undefined || apiUrl === null) {
      throw new Error("The local chain is not there.");
    }
    say(
      "Chainbell's demo: embedded PostgreSQL with the queue in it, a local chain, a receiver that verifies.",
    );
    say(
      `  ${"chain, database and daemon up".padEnd(52)} ${`${Date.now() - startedAtMs} ms`.padStart(8)}  ${apiUrl}`,
    );
    const { code, decimals } = token;
    const address = token.address as `0x${string}`;
    await travel({
      apiUrl,
      adminToken,
      rpcUrl,
      chainName: chain.name,
      token: { address, code, decimals },
      receiver,
      say,
    });
  } finally {
    await app.stop();
    await receiver.close();
    await ledger.close();
  }
}
